/** Purpose of the sealed credentials of a section. */
export const sectionPurpose = (section: string) => `settings:${section}`
