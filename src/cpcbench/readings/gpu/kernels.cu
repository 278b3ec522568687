// The kernels of one formula, after its functions cpc_value, cpc_drawn and cpc_sift_point.

extern "C" __global__ void cpc_values(const double *x, double *out, cpc_long count) {
    for (cpc_long i = CPC_FIRST; i < count; i += CPC_STEP) out[i] = cpc_value(x + i * CPC_DIM);
}

// The coordinates of drawn points, for anyone to look at.
extern "C" __global__ void cpc_points(cpc_word first, cpc_long count, cpc_word key, double *out) {
    for (cpc_long i = CPC_FIRST; i < count; i += CPC_STEP) cpc_coordinates(cpc_point(first + i, key), out + i * CPC_DIM);
}

struct cpc_sieve {
    cpc_word first, key;
    int all;
    unsigned *queue, room, *filled;
};

// 1 if a point is to be counted; what is in doubt, or `all` that is admissible, is queued.
CPC_DEVICE unsigned cpc_sifted(cpc_sieve sieve, unsigned i) {
    const int state = cpc_sift_point(cpc_point(sieve.first + i, sieve.key));
    if (state == 1 && !sieve.all) return 1;
    if (state) {
        const unsigned place = cpc_take(sieve.filled);
        if (place < sieve.room) sieve.queue[place] = i;
    }
    return 0;
}

// Sifts drawn points, fewer than 2^32: those that are certainly admissible are counted, those in doubt queued. Where the
// sieve has two stages, what the first one leaves waits until there is a whole warp of it.
extern "C" __global__ void __launch_bounds__(256) cpc_sift(cpc_word first, cpc_long count, cpc_word key, int all,
                                                          unsigned *queue, unsigned room, unsigned *filled,
                                                          cpc_word *hits) {
    const cpc_sieve sieve = {first, key, all, queue, room, filled};
    cpc_word found = 0;
#if CPC_STAGES == 2 && defined(__CUDACC__)
    __shared__ unsigned waiting[8][64];
    unsigned *mine = waiting[threadIdx.x / 32], lane = threadIdx.x % 32, number = 0;
    for (cpc_long base = CPC_FIRST - lane; base < count; base += CPC_STEP) {
        const cpc_long i = base + lane;
        const int left = i < count && cpc_quick(cpc_point(first + i, key));
        const unsigned votes = __ballot_sync(0xffffffffu, left);
        if (left) mine[number + __popc(votes & ((1u << lane) - 1u))] = (unsigned)i;
        number += __popc(votes);
        __syncwarp();
        if (number >= 32) {
            number -= 32;
            const unsigned taken = mine[number + lane];
            __syncwarp();
            found += cpc_sifted(sieve, taken);
            __syncwarp();
        }
    }
    if (lane < number) found += cpc_sifted(sieve, mine[lane]);
#else
    for (cpc_long i = CPC_FIRST; i < count; i += CPC_STEP)
        if (CPC_STAGES == 1 || cpc_quick(cpc_point(first + i, key))) found += cpc_sifted(sieve, (unsigned)i);
#endif
    hits[CPC_FIRST] += found;
}

// Evaluates what is queued, in doubles; each thread keeps its lowest value, and the number of that point.
extern "C" __global__ void cpc_settle(cpc_word first, cpc_word key, const unsigned *queue, unsigned room,
                                      const unsigned *filled, unsigned *most, cpc_word *hits, double *least,
                                      cpc_word *lowest) {
    const unsigned count = *filled < room ? *filled : room;
    const cpc_long self = CPC_FIRST;
    cpc_word found = 0, where = lowest[self];
    double best = least[self];
    for (cpc_long i = self; i < count; i += CPC_STEP) {
        const cpc_word number = first + queue[i];
        const double value = cpc_drawn(cpc_point(number, key));
        if (value == value) found++;
        if (value < best) {
            best = value;
            where = number;
        }
    }
    hits[self] += found;
    least[self] = best;
    lowest[self] = where;
    if (self == 0 && *filled > *most) *most = *filled;
}
