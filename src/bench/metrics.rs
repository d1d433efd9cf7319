//! pass@k.

/// The unbiased estimate of pass@k from `n` samples of a task of which `c` pass: the chance that at least one of
/// `k` of them, drawn without putting back, passes (Chen et al. 2021, `1 - C(n-c, k) / C(n, k)`).
///
/// With fewer than `k` samples there is no such draw; callers leave out a `k` above `n`.
pub fn pass_at_k(n: usize, c: usize, k: usize) -> f64 {
    if n < c + k {
        // Fewer wrong ones than are drawn.
        return 1.0;
    }
    let all_wrong: f64 = (n - c + 1..=n).map(|i| 1.0 - k as f64 / i as f64).product();
    1.0 - all_wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1 - C(n-c, k) / C(n, k)` in whole numbers.
    fn exact(n: u128, c: u128, k: u128) -> f64 {
        let choose = |n: u128, k: u128| (1..=k).fold(1, |product, i| product * (n + 1 - i) / i);
        let none = if n - c < k { 0 } else { choose(n - c, k) };
        1.0 - none as f64 / choose(n, k) as f64
    }

    #[test]
    fn agrees_with_the_definition() {
        for n in 1..=20 {
            for c in 0..=n {
                for k in 1..=n {
                    let (estimate, exact) = (pass_at_k(n, c, k), exact(n as u128, c as u128, k as u128));
                    assert!(
                        (estimate - exact).abs() < 1e-12,
                        "n={n} c={c} k={k}: {estimate} {exact}"
                    );
                }
            }
        }
    }

    #[test]
    fn at_1_is_the_share_and_ends_are_exact() {
        assert!((pass_at_k(200, 46, 1) - 0.23).abs() < 1e-12);
        assert!(pass_at_k(10, 0, 5).abs() < f64::EPSILON);
        assert!((pass_at_k(10, 6, 5) - 1.0).abs() < f64::EPSILON);
    }
}
