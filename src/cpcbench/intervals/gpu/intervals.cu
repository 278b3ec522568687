// Intervals with directed rounding; functions are widened by 2^-50, of which those of CUDA and of C use a half at most.
// Those of the language are found by their names, `cpc_range_` and the name there. The rules are those of
// intervals/arithmetic.py and its neighbours: a lower end is never +inf, an upper one never -inf.

#define CPC_INF (__longlong_as_double(0x7ff0000000000000LL))
#define CPC_LARGEST 1.7976931348623157e308
#define CPC_LEAST(a, b) ((a) < (b) ? (a) : (b))
#define CPC_NOWHERE 0
#define CPC_MAYBE 1
#define CPC_EVERYWHERE 2

struct cpc_part {
    double lo, hi;
    int state;
};

CPC_DEVICE cpc_part cpc_made(double lo, double hi, int state) {
    cpc_part part = {lo, hi, state};
    return part;
}

CPC_DEVICE double cpc_down(double x) {
    return x == CPC_INF ? CPC_LARGEST : x - (fabs(x) * 8.881784197001252e-16 + 2e-323);
}

CPC_DEVICE double cpc_up(double x) {
    return x == -CPC_INF ? -CPC_LARGEST : x + (fabs(x) * 8.881784197001252e-16 + 2e-323);
}

CPC_DEVICE cpc_part cpc_add(cpc_part x, cpc_part y) {
    return cpc_made(__dadd_rd(x.lo, y.lo), __dadd_ru(x.hi, y.hi), CPC_EVERYWHERE);
}

CPC_DEVICE cpc_part cpc_neg(cpc_part x) { return cpc_made(-x.hi, -x.lo, CPC_EVERYWHERE); }

CPC_DEVICE cpc_part cpc_sub(cpc_part x, cpc_part y) { return cpc_add(x, cpc_neg(y)); }

CPC_DEVICE double cpc_times_down(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : __dmul_rd(a, b); }

CPC_DEVICE double cpc_times_up(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : __dmul_ru(a, b); }

CPC_DEVICE cpc_part cpc_mul(cpc_part x, cpc_part y) {
    const double low = fmin(fmin(cpc_times_down(x.lo, y.lo), cpc_times_down(x.lo, y.hi)),
                            fmin(cpc_times_down(x.hi, y.lo), cpc_times_down(x.hi, y.hi)));
    const double high = fmax(fmax(cpc_times_up(x.lo, y.lo), cpc_times_up(x.lo, y.hi)),
                             fmax(cpc_times_up(x.hi, y.lo), cpc_times_up(x.hi, y.hi)));
    return cpc_made(low, high, CPC_EVERYWHERE);
}

// The smallest and the largest distance from 0.
CPC_DEVICE cpc_part cpc_size(cpc_part x) {
    return cpc_made(fabs(fmax(fmax(x.lo, -x.hi), 0.0)), fmax(-x.lo, x.hi), CPC_EVERYWHERE);
}

CPC_DEVICE cpc_part cpc_range_abs(cpc_part x) { return cpc_size(x); }

CPC_DEVICE cpc_part cpc_square(cpc_part x) {
    const cpc_part size = cpc_size(x);
    return cpc_made(__dmul_rd(size.lo, size.lo), __dmul_ru(size.hi, size.hi), CPC_EVERYWHERE);
}

CPC_DEVICE cpc_part cpc_div(cpc_part x, cpc_part y) {
    double a = x.lo, b = x.hi, c = y.lo, d = y.hi;
    if (c == 0.0 && d == 0.0) return cpc_made(-CPC_INF, CPC_INF, CPC_NOWHERE);
    if (c < 0.0 && d > 0.0) return cpc_made(-CPC_INF, CPC_INF, CPC_MAYBE);
    const int state = c > 0.0 || d < 0.0 ? CPC_EVERYWHERE : CPC_MAYBE;
    if (d <= 0.0) {
        a = -x.hi;
        b = -x.lo;
        c = -y.hi;
        d = -y.lo;
    }
    c = c + 0.0;
    double low = a != 0.0 ? __ddiv_rd(a, a >= 0.0 ? d : c) : 0.0;
    double high = b != 0.0 ? __ddiv_ru(b, b >= 0.0 ? c : d) : 0.0;
    if (low != low) low = a > 0.0 ? 0.0 : -CPC_INF;
    if (high != high) high = b > 0.0 ? CPC_INF : 0.0;
    if (low == CPC_INF) low = CPC_LARGEST;
    if (high == -CPC_INF) high = -CPC_LARGEST;
    return cpc_made(low, high, state);
}

// Powers of numbers of at least 0.

CPC_DEVICE double cpc_whole_down(double a, int n) {
    double product = a;
    for (int i = 1; i < n; i++) product = __dmul_rd(product, a);
    return product;
}

CPC_DEVICE double cpc_whole_up(double a, int n) {
    double product = a;
    for (int i = 1; i < n; i++) product = __dmul_ru(product, a);
    return product;
}

CPC_DEVICE double cpc_pow_down(double a, double p) { return fmax(cpc_down(pow(a, p)), 0.0); }

CPC_DEVICE double cpc_pow_up(double a, double p) { return cpc_up(pow(a, p)); }

// A whole power from 2 to 64.
CPC_DEVICE cpc_part cpc_whole_power(cpc_part x, int n) {
    const cpc_part size = cpc_size(x);
    if (n % 2 && x.lo < 0.0 && x.hi > 0.0)
        return cpc_made(-cpc_whole_up(-x.lo, n), cpc_whole_up(x.hi, n), CPC_EVERYWHERE);
    const double low = cpc_whole_down(size.lo, n), high = cpc_whole_up(size.hi, n);
    if (n % 2 && x.hi <= 0.0) return cpc_made(-high, -low, CPC_EVERYWHERE);
    return cpc_made(low, high, CPC_EVERYWHERE);
}

// A power by a number between p and q that is not whole: the base is cut off at 0.
CPC_DEVICE cpc_part cpc_fraction(cpc_part x, double p, double q) {
    if (x.hi < 0.0 || (x.hi == 0.0 && p < 0.0)) return cpc_made(-CPC_INF, CPC_INF, CPC_NOWHERE);
    double bottom = fabs(fmax(x.lo, 0.0)), top = fabs(x.hi);
    const int state = (p > 0.0 ? x.lo >= 0.0 : x.lo > 0.0) ? CPC_EVERYWHERE : CPC_MAYBE;
    if (p <= 0.0) {
        const double other = bottom;
        bottom = top;
        top = other;
    }
    return cpc_made(cpc_pow_down(bottom, bottom >= 1.0 ? p : q), cpc_pow_up(top, top >= 1.0 ? q : p), state);
}

CPC_DEVICE cpc_part cpc_varying(cpc_part x, cpc_part y) {
    const double p = y.lo, q = y.hi;
    if (x.hi < 0.0 || (x.hi == 0.0 && q < 0.0)) return cpc_made(-CPC_INF, CPC_INF, CPC_NOWHERE);
    const int state = x.lo > 0.0 || (x.lo == 0.0 && p >= 0.0) ? CPC_EVERYWHERE : CPC_MAYBE;
    const double bottom = fabs(fmax(x.lo, 0.0)), top = fabs(x.hi);
    double low = 1.0, high = 1.0;
    if (p >= 0.0) {
        low = pow(bottom, bottom >= 1.0 ? p : q);
        high = pow(top, top >= 1.0 ? q : p);
    } else if (q <= 0.0) {
        low = pow(top, top >= 1.0 ? p : q);
        high = pow(bottom, bottom >= 1.0 ? q : p);
    } else {
        if (bottom < 1.0) {
            low = pow(bottom, q);
            high = pow(bottom, p);
        }
        if (top > 1.0) {
            low = fmin(low, pow(top, p));
            high = fmax(high, pow(top, q));
        }
    }
    return cpc_made(fmax(cpc_down(low), 0.0), cpc_up(high), state);
}

CPC_DEVICE cpc_part cpc_range_sqrt(cpc_part x) {
    const int state = x.hi < 0.0 ? CPC_NOWHERE : x.lo >= 0.0 ? CPC_EVERYWHERE : CPC_MAYBE;
    return cpc_made(__dsqrt_rd(fmax(x.lo, 0.0)), __dsqrt_ru(fmax(x.hi, 0.0)), state);
}

CPC_DEVICE cpc_part cpc_range_ln(cpc_part x) {
    if (x.hi <= 0.0) return cpc_made(-CPC_INF, CPC_INF, CPC_NOWHERE);
    const double low = x.lo > 0.0 ? cpc_down(log(x.lo)) : -CPC_INF;
    return cpc_made(low, cpc_up(log(x.hi)), x.lo > 0.0 ? CPC_EVERYWHERE : CPC_MAYBE);
}

CPC_DEVICE cpc_part cpc_range_exp(cpc_part x) {
    return cpc_made(fmax(cpc_down(exp(x.lo)), 0.0), cpc_up(exp(x.hi)), CPC_EVERYWHERE);
}

CPC_DEVICE cpc_part cpc_range_arctan(cpc_part x) {
    const double most = 1.5707963267948968;
    return cpc_made(fmax(cpc_down(atan(x.lo)), -most), fmin(cpc_up(atan(x.hi)), most), CPC_EVERYWHERE);
}

CPC_DEVICE cpc_part cpc_range_arcsin(cpc_part x) {
    const double most = 1.5707963267948968;
    if (x.hi < -1.0 || x.lo > 1.0) return cpc_made(-CPC_INF, CPC_INF, CPC_NOWHERE);
    const double low = fmax(cpc_down(asin(fmax(x.lo, -1.0))), -most);
    const double high = fmin(cpc_up(asin(fmin(x.hi, 1.0))), most);
    return cpc_made(low, high, x.lo >= -1.0 && x.hi <= 1.0 ? CPC_EVERYWHERE : CPC_MAYBE);
}

// Sine (top = 0.5) and cosine (top = 0): 1 at (top + 2k) pi, -1 one further on, else by the values at the two ends.
CPC_DEVICE cpc_part cpc_wave(cpc_part x, double top) {
    if (!(x.hi - x.lo < 8.0)) return cpc_made(-1.0, 1.0, CPC_EVERYWHERE);
    const double first = x.lo / 3.141592653589793, last = x.hi / 3.141592653589793;
    const double before = 8.881784197001252e-16 * (1.0 + fabs(first));
    const double after = 8.881784197001252e-16 * (1.0 + fabs(last));
    const bool low = ceil((first - (top + 1.0 + before)) * 0.5) <= floor((last - (top + 1.0 - after)) * 0.5);
    const bool high = ceil((first - (top + before)) * 0.5) <= floor((last - (top - after)) * 0.5);
    if (low && high) return cpc_made(-1.0, 1.0, CPC_EVERYWHERE);
    const double a = top == 0.0 ? cos(x.lo) : sin(x.lo), b = top == 0.0 ? cos(x.hi) : sin(x.hi);
    return cpc_made(low ? -1.0 : fmax(cpc_down(fmin(a, b)), -1.0), high ? 1.0 : fmin(cpc_up(fmax(a, b)), 1.0),
                    CPC_EVERYWHERE);
}

CPC_DEVICE cpc_part cpc_range_sin(cpc_part x) { return cpc_wave(x, 0.5); }

CPC_DEVICE cpc_part cpc_range_cos(cpc_part x) { return cpc_wave(x, 0.0); }

CPC_DEVICE cpc_part cpc_range_min(cpc_part x, cpc_part y) {
    return cpc_made(fmin(x.lo, y.lo), fmin(x.hi, y.hi), CPC_EVERYWHERE);
}

CPC_DEVICE cpc_part cpc_range_max(cpc_part x, cpc_part y) {
    return cpc_made(fmax(x.lo, y.lo), fmax(x.hi, y.hi), CPC_EVERYWHERE);
}

CPC_DEVICE cpc_part cpc_given(cpc_part x, cpc_part y) {
    return cpc_made(y.lo, y.hi, x.hi < 0.0 ? CPC_NOWHERE : x.lo >= 0.0 ? CPC_EVERYWHERE : CPC_MAYBE);
}
