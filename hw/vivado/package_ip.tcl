# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Packages the fabric as an IP (IP-XACT) for the IP catalogue:
#
#     vivado -mode batch -source package_ip.tcl -tclargs OUTPUT_FOLDER
#
# NOT RUN in Vivado by this project, for want of one. Its tests run it with stand-ins for Vivado's commands (check.tcl) and
# compare the files it adds with rtl/fabric.f and the ports it maps with those of rtl/fabric.sv (cargo xtask rtl).

set here [file dirname [file normalize [info script]]]
set rtl [file normalize [file join $here .. rtl]]
set output [expr {[llength $argv] > 0 ? [lindex $argv 0] : [file join $here ip]}]

create_project -force -in_memory -part xc7z020clg484-1 package_fabric

# The order matters: packages first. fabric.f has it.
set list [open [file join $rtl fabric.f]]
set files {}
foreach name [split [string trim [read $list]] \n] {
  lappend files [file join $rtl $name]
}
close $list
add_files -norecurse $files
set_property file_type SystemVerilog [get_files $files]
set_property top fabric [current_fileset]
update_compile_order -fileset sources_1

ipx::package_project -root_dir $output -vendor pqsoc -library ip -taxonomy /UserIP -import_files -force
set core [ipx::current_core]
set_property name fabric $core
set_property version 0.1 $core
set_property display_name {pqsoc fabric} $core
set_property description {ML-DSA polynomials, Keccak and SLH-DSA hash chains behind AXI4-Lite and AXI4-Stream} $core

# Vivado infers interfaces from names only when they follow its pattern; ours carry _i and _o, so they are mapped here.
# Maps a bus interface: abstraction, master or slave, then pairs of logical and physical port.
proc map_bus {core name vlnv mode ports} {
  set bus [ipx::add_bus_interface $name $core]
  set_property bus_type_vlnv xilinx.com:interface:${vlnv}:1.0 $bus
  set_property abstraction_type_vlnv xilinx.com:interface:${vlnv}_rtl:1.0 $bus
  set_property interface_mode $mode $bus
  foreach {logical physical} $ports {
    set map [ipx::add_port_map $logical $bus]
    set_property physical_name $physical $map
  }
  return $bus
}

foreach bus [ipx::get_bus_interfaces -of_objects $core] {
  ipx::remove_bus_interface [get_property name $bus] $core
}
map_bus $core s_axil aximm slave {
  AWVALID s_axil_awvalid_i AWREADY s_axil_awready_o AWADDR s_axil_awaddr_i AWPROT s_axil_awprot_i
  WVALID s_axil_wvalid_i WREADY s_axil_wready_o WDATA s_axil_wdata_i WSTRB s_axil_wstrb_i
  BVALID s_axil_bvalid_o BREADY s_axil_bready_i BRESP s_axil_bresp_o
  ARVALID s_axil_arvalid_i ARREADY s_axil_arready_o ARADDR s_axil_araddr_i ARPROT s_axil_arprot_i
  RVALID s_axil_rvalid_o RREADY s_axil_rready_i RDATA s_axil_rdata_o RRESP s_axil_rresp_o
}
map_bus $core s_axis axis slave {
  TVALID s_axis_tvalid_i TREADY s_axis_tready_o TDATA s_axis_tdata_i TKEEP s_axis_tkeep_i TLAST s_axis_tlast_i
}
map_bus $core m_axis axis master {
  TVALID m_axis_tvalid_o TREADY m_axis_tready_i TDATA m_axis_tdata_o TKEEP m_axis_tkeep_o TLAST m_axis_tlast_o
}

set clock [ipx::add_bus_interface clk_i $core]
set_property bus_type_vlnv xilinx.com:signal:clock:1.0 $clock
set_property abstraction_type_vlnv xilinx.com:signal:clock_rtl:1.0 $clock
set_property physical_name clk_i [ipx::add_port_map CLK $clock]
set_property value s_axil:s_axis:m_axis [ipx::add_bus_parameter ASSOCIATED_BUSIF $clock]
set_property value rst_ni [ipx::add_bus_parameter ASSOCIATED_RESET $clock]

set reset [ipx::add_bus_interface rst_ni $core]
set_property bus_type_vlnv xilinx.com:signal:reset:1.0 $reset
set_property abstraction_type_vlnv xilinx.com:signal:reset_rtl:1.0 $reset
set_property physical_name rst_ni [ipx::add_port_map RST $reset]
set_property value ACTIVE_LOW [ipx::add_bus_parameter POLARITY $reset]

set interrupt [ipx::add_bus_interface irq_o $core]
set_property bus_type_vlnv xilinx.com:signal:interrupt:1.0 $interrupt
set_property abstraction_type_vlnv xilinx.com:signal:interrupt_rtl:1.0 $interrupt
set_property interface_mode master $interrupt
set_property physical_name irq_o [ipx::add_port_map INTERRUPT $interrupt]
set_property value LEVEL_HIGH [ipx::add_bus_parameter SENSITIVITY $interrupt]

# The register window: 4 KB.
set map [ipx::add_memory_map s_axil $core]
set_property slave_memory_map_ref s_axil [ipx::get_bus_interfaces s_axil -of_objects $core]
set block [ipx::add_address_block registers $map]
set_property range 4096 $block
set_property width 32 $block

# What the parameters may be.
foreach {name values} {Butterflies {1 2 4} RoundsPerCycle {1 2} Slots {2 4 8 16 32 64 128 256}} {
  set parameter [ipx::get_user_parameters $name -of_objects $core]
  set_property value_validation_type list $parameter
  set_property value_validation_list $values $parameter
}

ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project
