// What the area seals its credentials for.
export const headersPurpose = 'hook headers'
export const secretPurpose = 'webhook secret'
export const tokenPurpose = 'incoming webhook'
