// What the area seals its secrets for.
export const fieldsPurpose = 'credential fields'
export const tokensPurpose = 'credential tokens'
export const verifierPurpose = 'credential verifier'
