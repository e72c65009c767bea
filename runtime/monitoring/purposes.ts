// What the area seals its credentials for.
export const alertPurpose = 'monitoring:alert'
