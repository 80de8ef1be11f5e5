# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# A ZedBoard design around the fabric: PS7, the fabric's registers and an AXI DMA (direct mode) on M_AXI_GP0, the DMA's
# memory ports on S_AXI_HP0, one 100 MHz clock and one reset for all of it.
#
#     vivado -mode batch -source package_ip.tcl -tclargs ip
#     vivado -mode batch -source zedboard.tcl -tclargs ip project
#
# NOT RUN in Vivado by this project, for want of one; check.tcl runs it with stand-ins for Vivado's commands.

set ip [file normalize [expr {[llength $argv] > 0 ? [lindex $argv 0] : "ip"}]]
set folder [file normalize [expr {[llength $argv] > 1 ? [lindex $argv 1] : "project"}]]

create_project -force pqsoc $folder -part xc7z020clg484-1
set_property board_part [lindex [get_board_parts -quiet *zedboard*] end] [current_project]
set_property ip_repo_paths $ip [current_project]
update_ip_catalog

create_bd_design system

set ps [create_bd_cell -type ip -vlnv xilinx.com:ip:processing_system7 ps]
apply_bd_automation -rule xilinx.com:bd_rule:processing_system7 \
  -config {make_external "FIXED_IO, DDR" apply_board_preset 1} $ps
set_property -dict {
  CONFIG.PCW_USE_M_AXI_GP0 1
  CONFIG.PCW_USE_S_AXI_HP0 1
  CONFIG.PCW_S_AXI_HP0_DATA_WIDTH 64
  CONFIG.PCW_USE_FABRIC_INTERRUPT 1
  CONFIG.PCW_IRQ_F2P_INTR 1
  CONFIG.PCW_FPGA0_PERIPHERAL_FREQMHZ 100
} $ps

set fabric [create_bd_cell -type ip -vlnv pqsoc:ip:fabric fabric]

# 64-bit streams; lengths up to 2^23 - 1 bytes; buffers at any address (DRE), packets of any length.
set dma [create_bd_cell -type ip -vlnv xilinx.com:ip:axi_dma dma]
set_property -dict {
  CONFIG.c_include_sg 0
  CONFIG.c_sg_length_width 23
  CONFIG.c_m_axi_mm2s_data_width 64
  CONFIG.c_m_axis_mm2s_tdata_width 64
  CONFIG.c_m_axi_s2mm_data_width 64
  CONFIG.c_s_axis_s2mm_tdata_width 64
  CONFIG.c_include_mm2s_dre 1
  CONFIG.c_include_s2mm_dre 1
  CONFIG.c_mm2s_burst_size 16
  CONFIG.c_s2mm_burst_size 16
} $dma

connect_bd_intf_net [get_bd_intf_pins dma/M_AXIS_MM2S] [get_bd_intf_pins fabric/s_axis]
connect_bd_intf_net [get_bd_intf_pins fabric/m_axis] [get_bd_intf_pins dma/S_AXIS_S2MM]

# Clocks and resets come with the automation.
foreach slave {fabric/s_axil dma/S_AXI_LITE} {
  apply_bd_automation -rule xilinx.com:bd_rule:axi4 \
    -config {Master /ps/M_AXI_GP0 Clk_master /ps/FCLK_CLK0 Clk_slave /ps/FCLK_CLK0 Clk_xbar /ps/FCLK_CLK0} \
    [get_bd_intf_pins $slave]
}
apply_bd_automation -rule xilinx.com:bd_rule:axi4 \
  -config {Slave /ps/S_AXI_HP0 Clk_master /ps/FCLK_CLK0 Clk_slave /ps/FCLK_CLK0 Clk_xbar /ps/FCLK_CLK0} \
  [get_bd_intf_pins dma/M_AXI_MM2S]
apply_bd_automation -rule xilinx.com:bd_rule:axi4 \
  -config {Master /dma/M_AXI_S2MM Slave /ps/S_AXI_HP0 Clk_master /ps/FCLK_CLK0 Clk_slave /ps/FCLK_CLK0} \
  [get_bd_intf_pins ps/S_AXI_HP0]

# Interrupts 61 to 63 of the GIC: fabric, DMA to the fabric, DMA from the fabric. All are levels.
set concat [create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat interrupts]
set_property CONFIG.NUM_PORTS 3 $concat
connect_bd_net [get_bd_pins fabric/irq_o] [get_bd_pins interrupts/In0]
connect_bd_net [get_bd_pins dma/mm2s_introut] [get_bd_pins interrupts/In1]
connect_bd_net [get_bd_pins dma/s2mm_introut] [get_bd_pins interrupts/In2]
connect_bd_net [get_bd_pins interrupts/dout] [get_bd_pins ps/IRQ_F2P]

# The addresses that software uses.
assign_bd_address -offset 0x43C00000 -range 4K [get_bd_addr_segs fabric/s_axil/registers]
assign_bd_address -offset 0x40400000 -range 64K [get_bd_addr_segs dma/S_AXI_LITE/Reg]
assign_bd_address

validate_bd_design
save_bd_design
make_wrapper -files [get_files system.bd] -top -import

launch_runs impl_1 -to_step write_bitstream -jobs 2
wait_on_run impl_1
open_run impl_1
report_utilization -file [file join $folder utilization.txt]
report_timing_summary -file [file join $folder timing.txt]
