// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The end of a program, for whoever runs it: a debugger or a virtual board.

use core::arch::asm;

/// Ends the program with an exit code. Without a debugger the SVC is an exception, and the program ends there.
pub fn exit(code: i32) -> ! {
    // ADP_Stopped_ApplicationExit and the code: SYS_EXIT_EXTENDED
    let block = [0x20026, code as u32];
    // SAFETY: the call reads the block and does not return.
    unsafe {
        asm!(
            "svc #0x123456",
            in("r0") 0x20,
            in("r1") block.as_ptr(),
            out("lr") _,
            options(nostack)
        );
    }
    loop {
        core::hint::spin_loop();
    }
}
