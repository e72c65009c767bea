/** The commands that no model reads, as platforms show them to people. */
export const commandList = [
  { name: 'stop', description: 'Stop the answer, with the messages that wait for it' },
  { name: 'new', description: 'Start a new conversation' },
  { name: 'undo', description: 'Undo the latest changes of files', is_owners: true },
  { name: 'status', description: 'What I am doing' },
  {
    name: 'model',
    description: 'Show or change the model',
    argument: 'provider/model, or default',
    is_owners: true,
  },
  { name: 'help', description: 'What I understand' },
] as const satisfies readonly { name: string; description: string; argument?: string; is_owners?: true }[]
