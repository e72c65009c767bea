// What the area seals its credentials for.
export const deliveryPurpose = 'scheduler:delivery'
