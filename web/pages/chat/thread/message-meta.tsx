import { Badge, Tooltip } from '@mantine/core'
import type { Message } from '../../../../runtime/chat/schema.ts'
import { Cost } from '../../../parts/cost.tsx'
import { whole } from '../../../parts/numbers.ts'
import { Time } from '../../../parts/time.tsx'
import { modelName, offlineModel } from '../labels.ts'
import classes from './thread.module.css'

/** Who answered, when. An answer of the built-in model says so. */
export function ModelLabel({ message }: { message: Message }) {
  if (!message.model && !message.provider) return null
  const name = modelName(message.provider, message.model)
  if (message.provider === offlineModel) {
    return (
      <Tooltip label="Made on this machine by rules, not by a language model" multiline maw={260}>
        <Badge variant="default" size="sm" className={classes.offline}>
          {name}
        </Badge>
      </Tooltip>
    )
  }
  return (
    <Tooltip label={`${message.provider}/${message.model}`}>
      <span className={classes.model}>{name}</span>
    </Tooltip>
  )
}

/** Time, tokens and cost: shown when one looks at the message. */
export function MessageNumbers({ message }: { message: Message }) {
  const tokens = message.input_tokens + message.output_tokens
  return (
    <span className={classes.numbers}>
      <Time at={message.created_at} />
      {tokens > 0 && (
        <Tooltip label={`${whole(message.input_tokens)} in, ${whole(message.output_tokens)} out`}>
          <span>{whole(tokens)} tokens</span>
        </Tooltip>
      )}
      {tokens > 0 && message.provider !== offlineModel && (
        <span>
          <Cost usd={message.cost_usd} provider={message.provider} model={message.model} />
        </span>
      )}
    </span>
  )
}
