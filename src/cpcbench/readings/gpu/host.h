// The words of CUDA that the kernels use, for an ordinary C++ compiler.

#include <cmath>
#include <cstdint>
#include <cstring>

#define __global__ static
#define __device__
#define __noinline__
#define __launch_bounds__(...)

struct cpc_dimension {
    unsigned x;
};
static thread_local cpc_dimension threadIdx, blockIdx, blockDim, gridDim;

static inline double __longlong_as_double(long long bits) {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
}
static inline float __int_as_float(int bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}
static inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)(((unsigned long long)(unsigned)high << 32) | (unsigned)low));
}
static inline int __clz(int value) { return __builtin_clz((unsigned)value); }

// Functions in single precision, as far off as the card's may be: CPC_WORST is -1, 0 or 1 for down, not at all, up.
#ifndef CPC_WORST
#define CPC_WORST 0
#endif
static inline float cpc_off(float value, float relative, float absolute) {
    return value + CPC_WORST * (std::fabs(value) * relative + absolute);
}
static inline float cpc_sin(float a) { return cpc_off(std::sin(a), 0.0f, 6.7e-7f); }
static inline float cpc_cos(float a) { return cpc_off(std::cos(a), 0.0f, 6.7e-7f); }
static inline float cpc_log2(float a) {
    return a > 0.5f && a < 2.0f ? cpc_off(std::log2(a), 0.0f, 2.38e-7f) : cpc_off(std::log2(a), 2.38e-7f, 0.0f);
}
static inline float cpc_exp2(float a) { return cpc_off(std::exp2(a), 2.38e-7f, 0.0f); }
static inline float cpc_asin(float a) { return cpc_off(std::asin(a), 2.38e-7f, 0.0f); }
static inline float cpc_root(float a) { return cpc_off(std::sqrt(a), 1.2e-7f, 0.0f); }
static inline float cpc_over(float a, float b) { return cpc_off(a / b, 2.38e-7f, 0.0f); }

using std::fma;

// Directed rounding: the result to nearest, moved by one where what was lost is on the other side.

static inline double cpc_moved(double value, bool away, double to) { return away ? std::nextafter(value, to) : value; }
static inline double cpc_lost(double a, double b, double s) {
    const double c = s - a;
    return (a - (s - c)) + (b - c);
}
static inline double __dadd_rd(double a, double b) {
    const double s = a + b;
    if (s == HUGE_VAL && a < HUGE_VAL && b < HUGE_VAL) return std::nextafter(s, 0.0);
    return cpc_moved(s, cpc_lost(a, b, s) < 0.0, -HUGE_VAL);
}
static inline double __dadd_ru(double a, double b) { return -__dadd_rd(-a, -b); }
static inline double __dmul_rd(double a, double b) {
    const double s = a * b;
    if (s == HUGE_VAL && std::isfinite(a) && std::isfinite(b)) return std::nextafter(s, 0.0);
    return cpc_moved(s, std::fma(a, b, -s) < 0.0 || (std::fabs(s) < 1e-290 && a != 0.0 && b != 0.0), -HUGE_VAL);
}
static inline double __dmul_ru(double a, double b) { return -__dmul_rd(-a, b); }
static inline double __ddiv_rd(double a, double b) {
    const double s = a / b;
    if (s == HUGE_VAL && std::isfinite(a) && b != 0.0) return std::nextafter(s, 0.0);
    const double rest = std::fma(-s, b, a);
    return cpc_moved(s, (b > 0.0 ? rest < 0.0 : rest > 0.0) || (std::fabs(s) < 1e-290 && a != 0.0), -HUGE_VAL);
}
static inline double __ddiv_ru(double a, double b) { return -__ddiv_rd(-a, b); }
static inline double __dsqrt_rd(double a) {
    const double s = std::sqrt(a);
    return cpc_moved(s, std::fma(-s, s, a) < 0.0, -HUGE_VAL);
}
static inline double __dsqrt_ru(double a) {
    const double s = std::sqrt(a);
    return cpc_moved(s, std::fma(-s, s, a) > 0.0, HUGE_VAL);
}

static inline double sinpi(double a) { return std::sin(a * 3.141592653589793); }
static inline double cospi(double a) { return std::cos(a * 3.141592653589793); }
