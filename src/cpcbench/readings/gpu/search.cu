// Many short searches: each thread walks down from a drawn point by steps at random, longer after a success.

CPC_DEVICE double cpc_unit(cpc_word bits) { return (cpc_whole(bits) + 0.5) * 1.1102230246251565e-16; }

extern "C" __global__ void cpc_walk(cpc_word first, cpc_word key, const unsigned *queue, unsigned room,
                                    const unsigned *filled, cpc_word seed, int steps, double *best, double *where) {
    const unsigned count = *filled < room ? *filled : room;
    const double lower[CPC_DIM] = CPC_LOWER, upper[CPC_DIM] = CPC_UPPER;
    const cpc_long self = CPC_FIRST;
    double x[CPC_DIM], tried[CPC_DIM];
    for (cpc_long i = self; i < count; i += CPC_STEP) {
        cpc_coordinates(cpc_point(first + queue[i], key), x);
        double value = cpc_value(x);
        if (!(value == value)) continue;
        const cpc_word own = seed + (cpc_word)i;
        double size = 0.1 * exp2(-10.0 * cpc_unit(cpc_normal_bits(own, 0xffffffffu).even));
        for (int step = 0; step < steps; step++) {
            for (int k = 0; k < CPC_DIM; k += 2) {  // two normal numbers at a time (Box and Muller)
                const cpc_bits bits = cpc_normal_bits(own, (unsigned)(step * ((CPC_DIM + 1) / 2) + k / 2));
                const double far = size * sqrt(-2.0 * log(cpc_unit(bits.even))), turn = cpc_unit(bits.odd);
                tried[k] = x[k] + (upper[k] - lower[k]) * far * cospi(2.0 * turn);
                tried[k] = fmin(fmax(tried[k], lower[k]), upper[k]);
                if (k + 1 < CPC_DIM) {
                    tried[k + 1] = x[k + 1] + (upper[k + 1] - lower[k + 1]) * far * sinpi(2.0 * turn);
                    tried[k + 1] = fmin(fmax(tried[k + 1], lower[k + 1]), upper[k + 1]);
                }
            }
            const double found = cpc_value(tried);
            if (found <= value) {
                size *= 1.5;
                value = found;
                for (int k = 0; k < CPC_DIM; k++) x[k] = tried[k];
            } else {
                size *= 0.9036020036098448;  // 1.5^(-1/4): a fifth of the steps should succeed
                if (size < 1e-17) break;
            }
        }
        if (value < best[self]) {
            best[self] = value;
            for (int k = 0; k < CPC_DIM; k++) where[self * CPC_DIM + k] = x[k];
        }
    }
}
