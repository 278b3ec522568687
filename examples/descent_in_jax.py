"""Ten thousand gradient descents at once, compiled by JAX, on a function that is undefined on most of its box.

python examples/descent_in_jax.py
"""

from __future__ import annotations

from typing import Any

import cpcbench as cpc

PROBLEM = cpc.problem("CPC-DF9")
STARTS, STEPS = 10_000, 200


def main() -> None:
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        print(f"{PROBLEM.id}: JAX is not installed")
        return
    jax.config.update("jax_enable_x64", True)
    function = PROBLEM.as_jax()
    slope = jax.grad(function)

    def descend(x: Any) -> Any:
        def step(_: int, state: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
            x, value, length = state
            along = slope(x)  # finite where there is a value, 0 where there is none
            there = jnp.clip(x - length * along / (jnp.linalg.norm(along) + 1e-300), PROBLEM.lower, PROBLEM.upper)
            found = function(there)
            better = found < value  # False where it is NaN: the step is not taken, and the next one is shorter
            return jnp.where(better, there, x), jnp.where(better, found, value), length * jnp.where(better, 1.2, 0.5)

        return jax.lax.fori_loop(0, STEPS, step, (x, function(x), 1.0))[:2]

    starts = jax.random.uniform(
        jax.random.key(1), (STARTS, PROBLEM.dim), minval=jnp.array(PROBLEM.lower), maxval=jnp.array(PROBLEM.upper)
    )
    begun = int(jnp.isfinite(function(starts)).sum())
    points, values = jax.jit(jax.vmap(descend))(starts)
    best = int(jnp.nanargmin(values))
    print(f"{PROBLEM.id}: {begun} of {STARTS} starts had a value")
    print(f"lowest value {float(values[best]):.6f} at {points[best].round(4).tolist()}")
    if PROBLEM.published is not None:
        print(f"published    {PROBLEM.published.value:.6f}")


if __name__ == "__main__":
    main()
