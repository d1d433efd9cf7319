//! What init knows when a run is over, as numbers.

/// What init knows when all is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The program's wait status; `None` when it was still running when the order to end came.
    pub(crate) status: Option<i32>,
    /// CPU time in user mode of everything that was reaped, in microseconds.
    pub(crate) user_micros: u64,
    /// The same in the kernel.
    pub(crate) system_micros: u64,
    /// The largest resident size of one process, in KiB.
    pub(crate) peak_kib: u64,
    /// What `peak_kib` would be for a program that uses nothing, because forks inherit it.
    pub(crate) floor_kib: u64,
    /// How often what was reaped gave up the CPU.
    pub(crate) voluntary: u64,
    /// How often the CPU was taken from it.
    pub(crate) involuntary: u64,
    /// CPU time that init itself has used so far, in microseconds.
    pub(crate) own_micros: u64,
    /// When everything was over, by the monotonic clock in nanoseconds.
    pub(crate) over: u64,
    /// For how long the program's own process was ready to run and didn't, in nanoseconds; not asked of a short one.
    pub(crate) waited: u64,
    /// Who sent the signal that ended the program.
    pub(crate) sent_by: SentBy,
    /// What is in scratch.
    pub(crate) scratch: Space,
}

/// Who sent a signal, as far as that can be seen from inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SentBy {
    /// Nobody has looked.
    #[default]
    Unknown,
    NobodyInside,
    Itself,
    Another,
}

/// What is used of the scratch space, and what there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Space {
    pub(crate) bytes: u64,
    pub(crate) most_bytes: u64,
    pub(crate) files: u64,
    pub(crate) most_files: u64,
}

impl Ended {
    pub(super) fn numbers(&self) -> [u64; 16] {
        [
            u64::from(self.status.is_some()),
            u64::from(self.status.unwrap_or(0).cast_unsigned()),
            self.user_micros,
            self.system_micros,
            self.peak_kib,
            self.floor_kib,
            self.voluntary,
            self.involuntary,
            self.own_micros,
            self.over,
            self.waited,
            self.sent_by as u64,
            self.scratch.bytes,
            self.scratch.most_bytes,
            self.scratch.files,
            self.scratch.most_files,
        ]
    }

    pub(super) fn from_numbers(numbers: [u64; 16]) -> Option<Self> {
        let [
            natural,
            status,
            user,
            system,
            peak,
            floor,
            voluntary,
            involuntary,
            own_micros,
            over,
            waited,
            sent_by,
            space @ ..,
        ] = numbers;
        let [bytes, most_bytes, files, most_files] = space;
        let all = [
            SentBy::Unknown,
            SentBy::NobodyInside,
            SentBy::Itself,
            SentBy::Another,
        ];
        let sent_by = all.into_iter().find(|one| *one as u64 == sent_by)?;
        let status = u32::try_from(status).ok()?.cast_signed();
        Some(Self {
            status: (natural != 0).then_some(status),
            user_micros: user,
            system_micros: system,
            peak_kib: peak,
            floor_kib: floor,
            voluntary,
            involuntary,
            own_micros,
            over,
            waited,
            sent_by,
            scratch: Space {
                bytes,
                most_bytes,
                files,
                most_files,
            },
        })
    }
}
