import { Group, Pill, Textarea } from '@mantine/core'

interface SecretLinesProps {
  label: string
  description: string
  /** Names whose values are stored. */
  known: readonly string[]
  removed: readonly string[]
  remove: (removed: string[]) => void
  error: string | undefined
  value: string
  change: (text: string) => void
}

/** Names that are set, each of which can be taken away, and room for new ones. */
export function SecretLines({
  label,
  description,
  known,
  removed,
  remove,
  error,
  value,
  change,
}: SecretLinesProps) {
  const kept = known.filter((name) => !removed.includes(name))
  return (
    <div>
      <Textarea
        label={label}
        description={description}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        autoComplete="off"
        error={error}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {kept.length > 0 && (
        <Group gap={6} mt={6}>
          {kept.map((name) => (
            <Pill
              key={name}
              withRemoveButton
              removeButtonProps={{ 'aria-label': `Remove ${name}` }}
              onRemove={() => remove([...removed, name])}
            >
              {name} is set
            </Pill>
          ))}
        </Group>
      )}
    </div>
  )
}
