// What the area seals its credentials for.
export const tokenPurpose = 'workflow webhook'
