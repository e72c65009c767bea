import { Group } from '@mantine/core'
import { DownloadButton } from '../../parts/files/transfer.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { Hint } from '../../parts/typography.tsx'

interface ItemFile {
  file_id: string
  name: string
  size_bytes: number
}

/** Files that are listed, and levels of a value in which they are found. */
const maxFiles = 50
const maxDepth = 8

const isFile = (value: object): value is ItemFile =>
  'file_id' in value && 'sha256' in value && 'name' in value && 'size_bytes' in value

function filesIn(value: unknown, found: Map<string, ItemFile>, depth = 0): Map<string, ItemFile> {
  if (typeof value !== 'object' || value === null || depth > maxDepth || found.size === maxFiles) return found
  if (isFile(value)) found.set(value.file_id, value)
  else for (const member of Object.values(value)) filesIn(member, found, depth + 1)
  return found
}

/** The files in the output of a node, each once. They are only downloaded, and never shown. */
export function ItemFiles({ value }: { value: unknown }) {
  const files = [...filesIn(value, new Map()).values()]
  return files.map(({ file_id, name, size_bytes }) => (
    <Group key={file_id} gap="xs" wrap="nowrap">
      <Hint truncate>
        {name} · {byteSize(size_bytes)}
      </Hint>
      <DownloadButton
        name={name}
        content={(api) => api.open('GET', '/api/files/{id}/content', { params: { id: file_id } })}
      />
    </Group>
  ))
}
