/**
 * System calls that commands may not make: kernel keyrings are not part of any namespace, and the others are large parts of the
 * kernel that ordinary programs do not need. The numbers of each architecture.
 */
const refused = {
  x64: {
    arch: 0xc000003e,
    // add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd, io_uring_setup, io_uring_enter, io_uring_register
    calls: [248, 249, 250, 298, 321, 323, 425, 426, 427],
  },
  arm64: { arch: 0xc00000b7, calls: [217, 218, 219, 241, 280, 282, 425, 426, 427] },
} as const

const load = (offset: number) => [0x20, 0, 0, offset] as const
/** Skips `otherwise` instructions if the loaded value is not `value`. */
const ifEqual = (value: number, otherwise: number) => [0x15, 0, otherwise, value] as const
const ifAtLeast = (value: number, otherwise: number) => [0x35, 0, otherwise, value] as const
const end = (action: number) => [0x06, 0, 0, action] as const
const allow = end(0x7fff0000)
/** The call fails with EPERM. */
const refuse = end(0x00050001)

/** Calls of the x32 ABI have numbers of their own. */
const x32 = 0x40000000

/**
 * The filter as a program of the kernel's classic BPF, or null on an architecture that has none here.
 * https://docs.kernel.org/userspace-api/seccomp_filter.html
 */
export function systemCallFilter(architecture: string): Buffer | null {
  if (architecture !== 'x64' && architecture !== 'arm64') return null
  const { arch, calls } = refused[architecture]
  const program = [
    load(4),
    [0x15, 1, 0, arch] as const,
    refuse,
    load(0),
    ...[ifAtLeast(x32, 1), refuse],
    ...calls.flatMap((call) => [ifEqual(call, 1), refuse]),
    allow,
  ]
  const bytes = Buffer.alloc(program.length * 8)
  for (const [index, [code, yes, no, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(yes, index * 8 + 2)
    bytes.writeUInt8(no, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
