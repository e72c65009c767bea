import { Group, Pill, Textarea } from '@mantine/core'
import { useState } from 'react'
import type { FieldProps } from '../../parts/schema/fields.tsx'
import { messageOf } from '../../parts/schema/schema.ts'
import { linesOf } from '../../parts/text.ts'

interface SecretLinesProps extends FieldProps {
  /** Between a name and its value. */
  sign: string
  /** Names whose values are stored. */
  stored: readonly string[] | undefined
}

/** Adds names and secret values, one per line, and removes stored ones. */
export function SecretLines({ label, schema, change, errors, sign, stored = [] }: SecretLinesProps) {
  const [text, setText] = useState('')
  const [removed, setRemoved] = useState<readonly string[]>([])
  const kept = stored.filter((name) => !removed.includes(name))
  const set = (nextText: string, nextRemoved: readonly string[]) => {
    setText(nextText)
    setRemoved(nextRemoved)
    const gone = nextRemoved.map((name) => [name, null] as const)
    change(Object.fromEntries([...gone, ...linesOf(nextText).map((line) => pairOf(line, sign))]))
  }
  return (
    <div>
      <Textarea
        label={label}
        description={schema.description}
        error={messageOf(errors)}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => set(event.currentTarget.value, removed)}
      />
      {kept.length > 0 && (
        <Group gap={6} mt={6}>
          {kept.map((name) => (
            <Pill
              key={name}
              withRemoveButton
              removeButtonProps={{ 'aria-label': `Remove ${name}` }}
              onRemove={() => set(text, [...removed, name])}
            >
              {name} is set
            </Pill>
          ))}
        </Group>
      )}
    </div>
  )
}

/** A line without the sign becomes a name with an empty value, which the daemon rejects. */
function pairOf(line: string, sign: string): readonly [string, string] {
  const at = line.indexOf(sign)
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}
