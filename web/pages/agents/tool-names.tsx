import { type ComboboxLikeRenderOptionInput, TagsInput, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { AgentTool } from '../../../runtime/tools/tool.ts'
import { agentToolsQuery } from '../../api/agents.ts'
import { useApi } from '../../app/services.tsx'

const groups: Record<AgentTool['source'], string> = {
  'built-in': 'Built in',
  skill: 'Skills',
  server: 'Tool servers',
}

interface ToolNamesProps {
  label: string
  description: string
  value: string[]
  error: string | undefined
  change: (value: string[]) => void
}

/** Tools to choose from by name; a pattern, or a tool that is not there yet, may be typed. */
export function ToolNames({ label, description, value, error, change }: ToolNamesProps) {
  const tools = useQuery(agentToolsQuery(useApi())).data?.tools ?? []
  const sources = (Object.keys(groups) as AgentTool['source'][]).filter((source) =>
    tools.some((tool) => tool.source === source),
  )
  const option = ({ option: { value: name } }: ComboboxLikeRenderOptionInput<{ value: string }>) => (
    <div>
      <Text size="sm">{name}</Text>
      <Text size="xs" c="dimmed" lineClamp={1}>
        {tools.find((tool) => tool.name === name)?.summary}
      </Text>
    </div>
  )
  return (
    <TagsInput
      label={label}
      description={description}
      value={value}
      error={error}
      onChange={change}
      data={sources.map((source) => ({
        group: groups[source],
        items: tools.filter((tool) => tool.source === source).map(({ name }) => name),
      }))}
      renderOption={option}
      withScrollArea={false}
      styles={{ options: { maxHeight: 280, overflowY: 'auto' } }}
      acceptValueOnBlur
    />
  )
}
