import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { contentQuery, textQuery } from '../../api/files.ts'
import { useApi } from '../../app/services.tsx'
import { Hint } from '../hint.tsx'
import { Loaded } from '../loaded.tsx'
import { byteSize } from '../numbers.ts'
import classes from './files.module.css'
import { isPicture, isText, useBlobUrl, useDownload } from './thumbnail.tsx'

export interface PreviewFile {
  id: string
  name: string
  mime_type: string
  size_bytes: number
}

interface PreviewProps {
  file: PreviewFile
  close: () => void
}

/** Bytes. */
const maxPicture = 25_000_000
/** Bytes of a text that are shown. */
const maxText = 200_000

/** Shows an image or a text; other files can be downloaded. */
export function Preview({ file, close }: PreviewProps) {
  const download = useDownload()
  return (
    <Modal
      opened
      onClose={close}
      title={file.name}
      size="lg"
      styles={{ title: { overflowWrap: 'anywhere' } }}
    >
      <Stack>
        <Content file={file} />
        <Group justify="space-between">
          <Hint>
            {file.mime_type} · {byteSize(file.size_bytes)}
          </Hint>
          <Button
            size="xs"
            leftSection={<IconDownload size={14} />}
            loading={download.isPending}
            onClick={() => download.mutate(file)}
          >
            Download
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

function Content({ file }: { file: PreviewFile }) {
  if (isPicture(file.mime_type) && file.size_bytes <= maxPicture) return <Picture file={file} />
  if (isText(file.mime_type)) return <TextContent file={file} />
  return (
    <Text size="sm" c="dimmed">
      No preview is available for this type of file. Download it to open it.
    </Text>
  )
}

function Picture({ file }: { file: PreviewFile }) {
  const query = useQuery(contentQuery(useApi(), file.id))
  const url = useBlobUrl(query.data)
  return (
    <Loaded query={query} what="The image" skeleton={<Skeleton height={240} />}>
      {() => url && <img className={classes.picture} src={url} alt={file.name} />}
    </Loaded>
  )
}

function TextContent({ file }: { file: PreviewFile }) {
  const query = useQuery(textQuery(useApi(), file, maxText))
  return (
    <Loaded query={query} what="The text" skeleton={<Skeleton height={240} />}>
      {(text) => (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable text must be reachable by keyboard */}
          <section className={classes.text} tabIndex={0} aria-label="Content">
            {text}
          </section>
          {file.size_bytes > maxText && <Hint>Only the first {byteSize(maxText)} are shown.</Hint>}
        </>
      )}
    </Loaded>
  )
}
