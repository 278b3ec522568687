// What the kernels of every formula share: draws by their place, powers in twice the precision, and functions in
// single precision whose errors are bounded. The same text is compiled for the card and, after host.h, for the host.

typedef unsigned long long cpc_word;
typedef long long cpc_long;

#ifdef __CUDACC__
#define CPC_DEVICE static __device__ __forceinline__
#define CPC_CALLED static __device__ __noinline__
#else
#define CPC_DEVICE static inline
#define CPC_CALLED static
#endif

#undef isnan
#undef isunordered
#undef NAN
#define isnan(a) ((a) != (a))
#define isunordered(a, b) ((a) != (a) || (b) != (b))
#define NAN (__longlong_as_double(0x7ff8000000000000LL))
#define CPC_NANF (__int_as_float(0x7fc00000))
#define CPC_INFF (__int_as_float(0x7f800000))
#define CPC_SURER 1.001f

#define CPC_FIRST ((cpc_long)blockIdx.x * blockDim.x + threadIdx.x)
#define CPC_STEP ((cpc_long)gridDim.x * blockDim.x)

// Draws: block j of a point holds the 64 bits each of its coordinates 2 j and 2 j + 1.

struct cpc_bits {
    cpc_word even, odd;
};

// Both halves of a product, in words of 32 bits: left to itself the compiler makes the whole round one of 64.
CPC_DEVICE void cpc_wide(unsigned a, unsigned b, unsigned *low, unsigned *high) {
#ifdef __CUDACC__
    asm("{\n\t.reg .u64 w;\n\tmul.wide.u32 w, %2, %3;\n\tmov.b64 {%0, %1}, w;\n\t}"
        : "=r"(*low), "=r"(*high)
        : "r"(a), "r"(b));
#else
    const cpc_word both = (cpc_word)a * b;
    *low = (unsigned)both;
    *high = (unsigned)(both >> 32);
#endif
}

// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw 2011), with the counter (number, j, use) and the key.
CPC_DEVICE cpc_bits cpc_philox(cpc_word number, unsigned j, unsigned use, cpc_word key) {
    unsigned a = (unsigned)number, b = (unsigned)(number >> 32), c = j, d = use;
    unsigned p = (unsigned)key, q = (unsigned)(key >> 32);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (int round = 0; round < 10; round++) {
        unsigned low, high, other, more;
        cpc_wide(0xD2511F53u, a, &low, &high);
        cpc_wide(0xCD9E8D57u, c, &other, &more);
        a = more ^ b ^ p;
        b = other;
        c = high ^ d ^ q;
        d = low;
        p += 0x9E3779B9u;
        q += 0xBB67AE85u;
    }
    cpc_bits bits = {((cpc_word)b << 32) | a, ((cpc_word)d << 32) | c};
    return bits;
}
// The steps of searches, by another use of the same generator.
CPC_DEVICE cpc_bits cpc_normal_bits(cpc_word search, unsigned j) { return cpc_philox(search, j, 1u, 0x5EA2C4ULL); }

#if CPC_SPLITMIX
struct cpc_place {
    cpc_word state;
};

CPC_DEVICE cpc_place cpc_point(cpc_word number, cpc_word key) {
    cpc_place place = {key + number * (CPC_DIM * 0x9E3779B97F4A7C15ULL)};
    return place;
}

CPC_DEVICE cpc_word cpc_mixed(cpc_word z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

CPC_DEVICE cpc_bits cpc_block(cpc_place place, unsigned j) {
    cpc_bits bits = {cpc_mixed(place.state + (2 * j + 1) * 0x9E3779B97F4A7C15ULL),
                     cpc_mixed(place.state + (2 * j + 2) * 0x9E3779B97F4A7C15ULL)};
    return bits;
}
#else
struct cpc_place {
    cpc_word number, key;
};

CPC_DEVICE cpc_place cpc_point(cpc_word number, cpc_word key) {
    cpc_place place = {number, key};
    return place;
}

CPC_DEVICE cpc_bits cpc_block(cpc_place place, unsigned j) { return cpc_philox(place.number, j, 0u, place.key); }
#endif

// The upper 53 bits as a whole number: two halves whose sum is exact, as conversions are slow on cards.
CPC_DEVICE double cpc_whole(cpc_word bits) {
    const int high = (int)(bits >> 43), low = (int)(bits >> 11);
    return (__hiloint2double(0x45300000, high) - 19342813118337666422669312.0) + __hiloint2double(0x43300000, low);
}

// Whole powers by multiplication in twice the precision, as the compiled kernels of the processor do it.
CPC_DEVICE double cpc_power(double base, int exponent) {
    double high = base, low = 0.0;
    int bit = 31 - __clz(exponent);
    while (--bit >= 0) {
        double doubled = high + high, rest = fma(doubled, low, 0.0), product = high * high;
        low = fma(high, high, -product) + rest;
        high = product + low;
        low = low - (high - product);
        if ((exponent >> bit) & 1) {
            rest = low * base;
            product = high * base;
            low = fma(high, base, -product) + rest;
            high = product + low;
            low = low - (high - product);
        }
    }
    return exponent & 1 ? copysign(high, base) : high;
}

// An angle less whole turns, for sines in single precision: within 2^-22 for |a| <= 2^30, and <= 2^15.

CPC_DEVICE float cpc_turned(double a) {
    const double turns = (a * 0.15915494309189535 + 6755399441055744.0) - 6755399441055744.0;
    return (float)fma(-turns, 2.4492935982947064e-16, fma(-turns, 6.283185307179586, a));
}

CPC_DEVICE float cpc_turned_float(float a) {
    const float turns = fmaf(a, 0.15915494f, 12582912.0f) - 12582912.0f;
    return fmaf(-turns, -1.7484556e-7f, fmaf(-turns, 6.2831855f, a));
}

#ifdef __CUDACC__
CPC_DEVICE float cpc_sin(float a) { return __sinf(a); }
CPC_DEVICE float cpc_cos(float a) { return __cosf(a); }
CPC_DEVICE float cpc_log2(float a) { return __log2f(a); }
CPC_DEVICE float cpc_over(float a, float b) { return __fdividef(a, b); }
CPC_DEVICE float cpc_exp2(float a) { return exp2f(a); }
CPC_DEVICE float cpc_asin(float a) { return asinf(a); }
CPC_DEVICE float cpc_root(float a) {
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(a));
    return root;
}
#endif

// A place in a queue: one addition for all threads of a warp that want one.
CPC_DEVICE unsigned cpc_take(unsigned *filled) {
#ifdef __CUDACC__
    const unsigned together = __activemask();
    const int leader = __ffs(together) - 1;
    unsigned lane, before, first = 0;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
    if ((int)lane == leader) first = atomicAdd(filled, __popc(together));
    return __shfl_sync(together, first, leader) + __popc(together & before);
#else
    return (*filled)++;
#endif
}
