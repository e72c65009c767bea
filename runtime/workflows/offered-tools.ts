/** Tools that need a conversation with a person. */
const conversational = new Set(['ask_user', 'todo', 'arm_check_in'])

/** Tool nodes must not run workflows, which could start each other endlessly; only sub-workflow nodes limit the depth. */
export const isOffered = (name: string): boolean => !conversational.has(name) && !/^workflow(_|$)/.test(name)
