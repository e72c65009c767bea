/** Tools that need a conversation with a person. */
const conversational = new Set(['ask_user', 'todo', 'arm_check_in'])

/** A node for tools must not run workflows, which could start each other without end: a sub-workflow counts its depth. */
export const isOffered = (name: string): boolean => !conversational.has(name) && !/^workflow(_|$)/.test(name)
