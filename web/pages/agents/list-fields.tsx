import { Anchor, MultiSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { skillsQuery } from '../../api/skills.ts'
import { toolServersQuery } from '../../api/tool-servers.ts'
import { useApi } from '../../app/services.tsx'

interface ListFieldProps {
  value: string[]
  error: string | undefined
  change: (value: string[]) => void
}

const all = '*'

/** The skills that there are; what is chosen and is not there any more stays to be seen, and can be removed. */
export function SkillsField({ value, error, change }: ListFieldProps) {
  const skills = useQuery(skillsQuery(useApi())).data?.skills ?? []
  return (
    <MultiSelect
      label="Skills"
      description={<Kept href="/settings/skills" what="skills" />}
      data={choicesOf(
        skills.map(({ name, enabled }) => ({ value: name, label: enabled ? name : `${name} (off)` })),
        value,
      )}
      value={value}
      error={error}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="No such skill"
      onChange={(chosen) => change(narrowed(chosen))}
    />
  )
}

export function ServersField({ value, error, change }: ListFieldProps) {
  const servers = useQuery(toolServersQuery(useApi())).data?.servers ?? []
  // Agents may name a server by its id, too.
  const shown = value.map((one) => servers.find(({ id }) => id === one)?.name ?? one)
  return (
    <MultiSelect
      label="Tool servers (MCP)"
      description={<Kept href="/settings/tool-servers" what="tool servers" />}
      data={choicesOf(
        servers.map(({ name, enabled }) => ({ value: name, label: enabled ? name : `${name} (off)` })),
        shown,
      )}
      value={shown}
      error={error}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="No such server"
      onChange={(chosen) => change(narrowed(chosen))}
    />
  )
}

function Kept({ href, what }: { href: string; what: string }) {
  return (
    <>
      From the{' '}
      <Anchor component={Link} href={href} inherit>
        {what} in the settings
      </Anchor>
    </>
  )
}

/** All of them stands for itself, so nothing else is named beside it. */
const narrowed = (chosen: string[]) => (chosen.at(-1) === all ? [all] : chosen.filter((one) => one !== all))

function choicesOf(known: { value: string; label: string }[], chosen: readonly string[]) {
  const gone = chosen.filter((one) => one !== all && !known.some(({ value }) => value === one))
  return [
    { value: all, label: 'All' },
    ...known,
    ...gone.map((value) => ({ value, label: `${value} (not there)` })),
  ]
}
