/** What the host can tell of the machine that it runs on. */
export interface Machine {
  /** Free and total bytes where the data lives; null where the host cannot tell. */
  disk(): Promise<{ free_bytes: number; total_bytes: number } | null>
  /** Resident memory of this process in bytes; null where the host cannot tell. */
  residentBytes(): number | null
}
