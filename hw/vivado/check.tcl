# SPDX-License-Identifier: Apache-2.0 OR MIT
#
# Runs package_ip.tcl and zedboard.tcl without Vivado, whose commands are replaced by stand-ins that do nothing:
#
#     tclsh check.tcl
#
# So an error of syntax, a variable or a command that does not exist, and a loop over the wrong thing are found; whether
# Vivado accepts what it is told is not. Prints every RTL file that is added and every port that is mapped.

namespace eval ipx {}
set stand_ins {
  add_files apply_bd_automation assign_bd_address close_project connect_bd_intf_net connect_bd_net create_bd_cell
  create_bd_design create_project current_fileset current_project get_bd_addr_segs get_bd_intf_pins get_bd_pins
  get_board_parts get_files get_property launch_runs make_wrapper open_run report_timing_summary report_utilization
  save_bd_design set_property update_compile_order update_ip_catalog validate_bd_design wait_on_run
  ipx::add_address_block ipx::add_bus_interface ipx::add_bus_parameter ipx::add_memory_map ipx::add_port_map
  ipx::check_integrity ipx::create_xgui_files ipx::current_core ipx::get_bus_interfaces ipx::get_user_parameters
  ipx::package_project ipx::remove_bus_interface ipx::save_core ipx::update_checksums
}
foreach name $stand_ins {
  proc ::$name args [list stand_in $name]
}

# What a stand-in gives is its last argument, which is good enough a name for what it would have made.
proc stand_in {name} {
  upvar 1 args arguments
  if {$name eq "add_files"} {
    foreach file [lindex $arguments end] {
      if {![file exists $file]} {error "no file $file"}
      puts "file [file tail $file]"
    }
  }
  if {$name eq "set_property" && [lindex $arguments 0] eq "physical_name"} {
    puts "port [lindex $arguments 1]"
  }
  return [lindex $arguments end]
}

set argv {}
set folder [file dirname [file normalize [info script]]]
foreach script {package_ip.tcl zedboard.tcl} {
  source [file join $folder $script]
}
