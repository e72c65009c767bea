/** Figures of the machine that the host runs on. */
export interface Machine {
  /** Free and total bytes of the disk with the data; null if unknown. */
  disk(): Promise<{ free_bytes: number; total_bytes: number } | null>
  /** Resident memory of this process in bytes; null if unknown. */
  residentBytes(): number | null
  /** The load of the machine and this process; null if unknown. */
  load(): Promise<MachineLoad | null>
}

export interface MachineLoad {
  /** CPU usage of all processors since the previous reading, in percent. */
  cpu_pct: number
  /** Load averages of the last 1, 5 and 15 minutes; zeros on Windows. */
  load: [number, number, number]
  memory: { free_bytes: number; total_bytes: number }
  /** Current event loop lag, in milliseconds. */
  event_loop_lag_ms: number
}
