//! 95 % intervals for a mean over tasks.

use serde::Serialize;

/// A 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Normal quantile for a two-sided 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Resamples of the bootstrap: enough for ends that are stable to about half a per cent.
const RESAMPLES: usize = 4_000;

/// The interval of the mean of `shares`, one a task. With one sample a task (each share is 0 or 1) it is
/// Wilson's score interval (Wilson 1927), which holds for small samples and near 0 and 1; otherwise the
/// percentile bootstrap over tasks (Efron 1979) with a fixed seed, since samples of one task are not independent.
pub fn mean_interval(shares: &[f64]) -> Interval {
    if shares.iter().all(|share| [0.0, 1.0].contains(share)) {
        return wilson(shares.iter().sum(), shares.len() as f64);
    }
    bootstrap_mean(shares)
}

/// The 95 % interval of the mean of `values` by the percentile bootstrap (Efron 1979), with a fixed seed. For
/// differences between two runs, one a task, it is the paired bootstrap.
pub fn bootstrap_mean(values: &[f64]) -> Interval {
    let mut random = SplitMix(0x5eed);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            values
                .iter()
                .map(|_| values[random.below(values.len())])
                .sum::<f64>()
                / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Interval {
        low: means[RESAMPLES * 25 / 1000],
        high: means[RESAMPLES * 975 / 1000 - 1],
    }
}

/// Wilson's score interval of `successes` out of `n`.
pub fn wilson(successes: f64, n: f64) -> Interval {
    if n == 0.0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let share = successes / n;
    let centre = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    Interval {
        low: (centre - half).max(0.0),
        high: (centre + half).min(1.0),
    }
}

/// The `SplitMix64` generator (Steele, Lea, Flood 2014): small, and the same on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let wide = u128::from(z ^ (z >> 31)) * n as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checked against the values of R's `binom::binom.confint(.., methods = "wilson")`.
    #[test]
    fn wilson_agrees_with_the_literature() {
        let interval = wilson(8.0, 10.0);
        assert!(
            (interval.low - 0.4902).abs() < 1e-4 && (interval.high - 0.9433).abs() < 1e-4,
            "{interval:?}"
        );
        let interval = wilson(0.0, 10.0);
        assert!(
            interval.low == 0.0 && (interval.high - 0.2775).abs() < 1e-4,
            "{interval:?}"
        );
    }

    #[test]
    fn the_bootstrap_is_the_same_each_time_and_holds_the_mean() {
        let shares = [0.2, 0.9, 0.5, 0.4, 1.0, 0.0, 0.3, 0.7];
        let interval = mean_interval(&shares);
        assert_eq!(interval, mean_interval(&shares));
        assert!(interval.low < 0.5 && 0.5 < interval.high, "{interval:?}");
    }
}
