import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { contentQuery, textQuery } from '../../api/files.ts'
import { useApi } from '../../app/services.tsx'
import { Loaded } from '../loaded.tsx'
import { byteSize } from '../numbers.ts'
import classes from './files.module.css'
import { isPicture, isText } from './kinds.ts'
import { useBlobUrl } from './thumbnail.tsx'
import { useDownload } from './use-download.ts'

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

const largestPicture = 25_000_000
/** Bytes of a text that are fetched to be read here. */
const longestText = 200_000

/** Shows a picture or a text; everything else can be downloaded. */
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
      <Stack gap="md">
        <Content file={file} />
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            {file.mime_type} · {byteSize(file.size_bytes)}
          </Text>
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
  if (isPicture(file.mime_type) && file.size_bytes <= largestPicture) return <Picture file={file} />
  if (isText(file.mime_type)) return <Words file={file} />
  return (
    <Text size="sm" c="dimmed">
      There is no preview of files like this one. Download it to open it.
    </Text>
  )
}

function Picture({ file }: { file: PreviewFile }) {
  const query = useQuery(contentQuery(useApi(), file.id))
  const url = useBlobUrl(query.data)
  return (
    <Loaded query={query} what="The picture" skeleton={<Skeleton height={240} />}>
      {() => url && <img className={classes.picture} src={url} alt={file.name} />}
    </Loaded>
  )
}

function Words({ file }: { file: PreviewFile }) {
  const query = useQuery(textQuery(useApi(), file, longestText))
  return (
    <Loaded query={query} what="The text" skeleton={<Skeleton height={240} />}>
      {(words) => (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
          <section className={classes.text} tabIndex={0} aria-label="Content">
            {words}
          </section>
          {file.size_bytes > longestText && (
            <Text size="xs" c="dimmed">
              The first {byteSize(longestText)} are shown.
            </Text>
          )}
        </>
      )}
    </Loaded>
  )
}
