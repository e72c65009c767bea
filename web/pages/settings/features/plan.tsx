import { Alert, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { InstallPlan } from '../../../api/features.ts'
import { byteSize, counted } from '../../../parts/numbers.ts'
import { Command } from './command.tsx'

const size = (bytes: number | null) => (bytes === null ? 'unknown' : byteSize(bytes))

/** The package manager's own dry run. */
export function Plan({ plan }: { plan: InstallPlan }) {
  if (plan.blocked_reason !== null) return <Blocked plan={plan} />
  const { packages, downloads, skipped, total_bytes, command } = plan
  if (packages.length === 0)
    return (
      <Text size="sm" c="dimmed" mt="sm" role="status">
        Nothing to do: everything is there and works.
      </Text>
    )
  return (
    <Stack gap="xs" mt="sm" role="region" aria-label="Plan">
      <Text size="sm">
        {counted(packages.length, 'package', 'packages')}, to download: {size(total_bytes)}. Scripts of
        packages never run.
      </Text>
      <ScrollArea.Autosize
        mah={280}
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Packages' }}
      >
        <Table fz="xs" verticalSpacing={4} style={{ overflowWrap: 'anywhere' }}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Package</Table.Th>
              <Table.Th>Version</Table.Th>
              <Table.Th>Action</Table.Th>
              <Table.Th ta="right">Size</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {packages.map(({ name, version, action, current_version, size_bytes }) => (
              <Table.Tr key={`${name} ${version}`}>
                <Table.Td className="mono">{name}</Table.Td>
                <Table.Td>{version}</Table.Td>
                <Table.Td>
                  {current_version && action !== 'reinstall' ? `${action} from ${current_version}` : action}
                </Table.Td>
                <Table.Td ta="right">{size(size_bytes)}</Table.Td>
              </Table.Tr>
            ))}
            {downloads.map(({ name, url, size_bytes }) => (
              <Table.Tr key={url}>
                <Table.Td className="mono">{name}</Table.Td>
                <Table.Td />
                <Table.Td>download</Table.Td>
                <Table.Td ta="right">{size(size_bytes)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {skipped.map(({ name, reason }) => (
        <Text key={name} size="xs" c="dimmed">
          {name} is left out. {reason}.
        </Text>
      ))}
      <Command value={command} what="command" />
    </Stack>
  )
}

function Blocked({ plan: { blocked_reason, manual_command } }: { plan: InstallPlan }) {
  return (
    <Alert
      mt="sm"
      color="yellow"
      icon={<IconAlertTriangle size={18} />}
      title="It cannot be installed from here"
    >
      <Stack gap="xs">
        <Text size="sm">{blocked_reason}</Text>
        {manual_command && (
          <>
            <Text size="sm">In a terminal on the machine of hearthd:</Text>
            <Command value={manual_command} what="command" />
          </>
        )}
      </Stack>
    </Alert>
  )
}
