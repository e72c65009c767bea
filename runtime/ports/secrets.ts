/** Cryptography of the host. */
export interface Secrets {
  /** Lower-case hex SHA-256 of the UTF-8 text. */
  sha256(text: string): string
  /** Compares in constant time. Texts of different lengths are unequal. */
  equal(left: string, right: string): boolean
  /** Lower-case hex of `bytes` random bytes. */
  random(bytes: number): string
  /** AES-256-GCM under the master key; the result is text for a column. `purpose` is bound as associated data. */
  seal(plain: string, purpose: string): Promise<string>
  /** Rejects if the text was sealed for another purpose or with another key, or was modified. */
  open(sealed: string, purpose: string): Promise<string>
  /** A self-describing hash (`$argon2id$…` or `$scrypt$…`) with OWASP's parameters. */
  hashPassword(password: string): Promise<string>
  verifyPassword(password: string, hash: string): Promise<boolean>
}
