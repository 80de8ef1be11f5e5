// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The memory protection unit (ARM DDI 0403E, B3.5): 8 regions with subregions.

pub(crate) const REGIONS: usize = 8;

/// From here on nothing can be executed, whatever the MPU says, and the MPU says nothing of data.
pub(crate) const SYSTEM: u32 = 0xe000_0000;

/// What an access is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    Execute,
}

#[derive(Default)]
pub(crate) struct Mpu {
    /// ENABLE, HFNMIENA, PRIVDEFENA.
    pub control: u32,
    pub number: u32,
    pub base: [u32; REGIONS],
    pub attributes: [u32; REGIONS],
}

/// Executable in the default memory map: the Code, SRAM and external RAM regions.
pub(crate) const fn default_executable(address: u32) -> bool {
    matches!(address >> 29, 0 | 1 | 3 | 4)
}

impl Mpu {
    pub(crate) const fn enabled(&self) -> bool {
        self.control & 1 != 0
    }

    /// Whether the access is allowed while the MPU is in force. The highest-numbered region that matches decides.
    pub(crate) fn allows(&self, address: u32, access: Access, privileged: bool) -> bool {
        for n in (0..REGIONS).rev() {
            let attributes = self.attributes[n];
            let size = (attributes >> 1 & 31) + 1;
            if attributes & 1 == 0 || size < 5 {
                continue;
            }
            let mask = if size == 32 { 0 } else { u32::MAX << size };
            if (address ^ self.base[n]) & mask != 0 {
                continue;
            }
            // Subregions exist from 256 bytes on.
            if size >= 8 {
                let subregion = address >> (size - 3) & 7;
                if attributes >> (8 + subregion) & 1 != 0 {
                    continue;
                }
            }
            let never_execute = attributes >> 28 & 1 != 0;
            let (read, write) = match (attributes >> 24 & 7, privileged) {
                (0 | 4, _) => (false, false),
                (1, p) => (p, p),
                (2, p) => (true, p),
                (3, _) => (true, true),
                (5, p) => (p, false),
                _ => (true, false),
            };
            return match access {
                Access::Read => read,
                Access::Write => write,
                Access::Execute => read && !never_execute && address < SYSTEM,
            };
        }
        // Background: the default map, for privileged code if PRIVDEFENA says so
        privileged && self.control & 4 != 0 && (access != Access::Execute || default_executable(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(base: u32, attributes: u32) -> Mpu {
        let mut mpu = Mpu { control: 1, ..Mpu::default() };
        mpu.base[0] = base;
        mpu.attributes[0] = attributes | 1;
        mpu
    }

    #[test]
    fn access_permissions() {
        // (AP, privileged read, privileged write, user read, user write)
        let table = [
            (0, false, false, false, false),
            (1, true, true, false, false),
            (2, true, true, true, false),
            (3, true, true, true, true),
            (5, true, false, false, false),
            (6, true, false, true, false),
            (7, true, false, true, false),
        ];
        for (ap, pr, pw, ur, uw) in table {
            let mpu = region(0x2000_0000, ap << 24 | 9 << 1);
            let got =
                [true, false].map(|p| [Access::Read, Access::Write].map(|a| mpu.allows(0x2000_0010, a, p)));
            assert_eq!(got, [[pr, pw], [ur, uw]], "AP {ap}");
        }
    }

    #[test]
    fn subregions_fall_through() {
        let mut mpu = region(0x2000_0000, 3 << 24 | 7 << 1 | 1 << (8 + 2)); // 256 bytes, third eighth off
        assert!(mpu.allows(0x2000_003f, Access::Write, false));
        assert!(!mpu.allows(0x2000_0040, Access::Write, false));
        assert!(!mpu.allows(0x2000_005f, Access::Write, true));
        assert!(mpu.allows(0x2000_0060, Access::Write, false));
        assert!(!mpu.allows(0x2000_0100, Access::Read, true));
        mpu.control |= 4;
        assert!(mpu.allows(0x2000_0040, Access::Write, true));
    }

    #[test]
    fn higher_region_decides_and_execute_never_holds() {
        let mut mpu = region(0, 3 << 24 | 31 << 1);
        mpu.base[5] = 0x2000_0000;
        mpu.attributes[5] = 1 << 28 | 2 << 24 | 4 << 1 | 1;
        assert!(!mpu.allows(0x2000_0000, Access::Execute, true));
        assert!(mpu.allows(0x2000_0020, Access::Execute, true));
        assert!(!mpu.allows(0x2000_001f, Access::Write, false));
    }
}
