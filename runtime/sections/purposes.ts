/** What the credentials of a section are sealed for. */
export const sectionPurpose = (section: string) => `settings:${section}`
