/** Credentials in the address of a registry, and tokens that npm may quote from its configuration. */
export const withoutSecrets = (line: string): string =>
  line
    .replace(/(https?:\/\/)[^/\s@]+@/gi, '$1***@')
    .replace(/(_auth(?:Token)?|_password|otp)(\s*[=:]\s*)\S+/gi, '$1$2***')
    .replace(/\bnpm_[A-Za-z0-9]{36}\b/g, 'npm_***')
    .replace(/\b(Bearer|Basic)\s+\S+/gi, '$1 ***')
