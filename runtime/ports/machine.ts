/** Figures of the machine that the host runs on. */
export interface Machine {
  /** Free and total bytes of the disk with the data; null if unknown. */
  disk(): Promise<{ free_bytes: number; total_bytes: number } | null>
  /** Resident memory of this process in bytes; null if unknown. */
  residentBytes(): number | null
}
