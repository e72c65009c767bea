import { GuardFailed } from '../ports/sql.ts'
import { readSection } from '../sections/section.ts'
import { ToolError, tool } from '../tools/tool.ts'
import { armCheckIn, mayCheckIn } from './check-ins.ts'
import { proactiveSettings } from './proactive.ts'
import { NewCheckIn } from './schema.ts'

/** Arms a check-in: when it is due, a turn of this conversation starts with what it was waiting for. */
export const armCheckInTool = tool({
  name: 'arm_check_in',
  description:
    'Come back to this conversation after some minutes. Use it whenever you end a turn waiting for something ' +
    'outside (a build, a delivery, an answer), with your best estimate and what it is based on. Returns when it is due: each further one in a row waits longer.',
  input: NewCheckIn,
  effect: () => 'own',
  // It costs a turn later, which untrusted text must not start.
  risk: () => 'medium',
  summary: ({ delay_minutes, waiting_on }) => `Check in after ${delay_minutes} min: ${waiting_on}`,
  async run(input, { context, agent, conversation_id }) {
    if (!mayCheckIn(await readSection(context, proactiveSettings)))
      throw new ToolError('Check-ins are switched off in the settings; ask the person to come back later')
    const arming = { ...input, conversation_id, agent_id: agent.id, source: 'agent' as const }
    const { checkIn, statements, events } = await armCheckIn(context, arming)
    await context.commit(statements, events).catch((thrown: unknown) => {
      throw thrown instanceof GuardFailed ? new ToolError(`${thrown.message}; wait for one of them`) : thrown
    })
    return { check_in_id: checkIn.check_in_id, due_at: checkIn.due_at }
  },
})
