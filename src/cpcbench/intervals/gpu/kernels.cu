// The kernels of one tape, after its function cpc_bound.

extern "C" __global__ void cpc_look(const double *lower, const double *upper, cpc_long count, double *bound) {
    for (cpc_long i = CPC_FIRST; i < count; i += CPC_STEP)
        bound[i] = cpc_bound(lower + i * CPC_DIM, upper + i * CPC_DIM);
}

// Halves each box along every axis in turn; gives the axis whose halves are bounded best, and their two bounds.
extern "C" __global__ void cpc_branch(const double *lower, const double *upper, cpc_long count, double close,
                                      signed char *axis, double *first, double *second) {
    for (cpc_long i = CPC_FIRST; i < count; i += CPC_STEP) {
        double low[CPC_DIM], high[CPC_DIM], best = -CPC_INF, width = 0.0;
        int chosen = 0;
        first[i] = second[i] = -CPC_INF;  // of a box that cannot be halved
        for (int k = 0; k < CPC_DIM; k++) {
            low[k] = lower[i * CPC_DIM + k];
            high[k] = upper[i * CPC_DIM + k];
        }
        for (int k = 0; k < CPC_DIM; k++) {
            const double a = low[k], b = high[k], middle = a + (b - a) * 0.5;
            if (!(a < middle && middle < b)) continue;
            high[k] = middle;
            const double left = cpc_bound(low, high);
            high[k] = b;
            low[k] = middle;
            const double right = cpc_bound(low, high);
            low[k] = a;
            // closed halves first, then what the halves reach together
            const double score = fmin(left, close) + fmin(right, close);
            const double share = (b - a) * cpc_scale(k);
            if (width == 0.0 || score > best || (score == best && share > width)) {
                chosen = k;
                best = score;
                width = share;
                first[i] = left;
                second[i] = right;
            }
        }
        axis[i] = (signed char)chosen;
    }
}
