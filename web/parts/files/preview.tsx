import { Group, Image, Modal, Skeleton, Stack } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { contentQuery, textQuery } from '../../api/files.ts'
import { useApi } from '../../app/services.tsx'
import { ActionButton } from '../action-button.tsx'
import { Loaded } from '../list.tsx'
import { byteSize } from '../numbers.ts'
import { Hint, Muted, Scrolled } from '../typography.tsx'
import { isPicture, isText, useBlobUrl, useDownload } from './thumbnail.tsx'

export interface PreviewFile {
  id: string
  name: string
  mime_type: string
  size_bytes: number
}

/** Bytes. */
const maxPicture = 25_000_000
/** Bytes of a text that are shown. */
const maxText = 200_000

/** Shows an image or a text; other files can be downloaded. */
export function Preview({ file, close }: { file: PreviewFile; close: () => void }) {
  const download = useDownload()
  return (
    <PreviewFrame
      name={file.name}
      facts={`${file.mime_type} · ${byteSize(file.size_bytes)}`}
      download={{ mutate: () => download.mutate(file), isPending: download.isPending }}
      close={close}
    >
      <Content file={file} />
    </PreviewFrame>
  )
}

interface PreviewFrameProps {
  name: string
  facts: string
  download: { mutate(): void; isPending: boolean }
  close: () => void
  children: ReactNode
}

/** The dialog of a preview, with a button that downloads the file. */
export const PreviewFrame = ({ name, facts, download, close, children }: PreviewFrameProps) => (
  <Modal opened onClose={close} title={name} size="lg" styles={{ title: { overflowWrap: 'anywhere' } }}>
    <Stack>
      {children}
      <Group justify="space-between">
        <Hint>{facts}</Hint>
        <ActionButton variant="filled" icon={IconDownload} run={download}>
          Download
        </ActionButton>
      </Group>
    </Stack>
  </Modal>
)

export const NoPreview = () => <Muted>No preview is available for this type of file. Download it to open it.</Muted>

export const PreviewImage = ({ url, name }: { url: string; name: string }) => (
  <Image src={url} alt={name} w="auto" maw="100%" mah="70vh" mx="auto" radius="sm" />
)

/** The beginning of a text; `cut` says that there is more of it. */
export const TextPreview = ({ text, cut }: { text: string; cut: boolean }) => (
  <>
    <Scrolled label="Content" mah="60vh" fz="sm">
      {text}
    </Scrolled>
    {cut && <Hint>Only the beginning is shown.</Hint>}
  </>
)

function Content({ file }: { file: PreviewFile }) {
  if (isPicture(file.mime_type) && file.size_bytes <= maxPicture) return <Picture file={file} />
  return isText(file.mime_type) ? <TextContent file={file} /> : <NoPreview />
}

function Picture({ file }: { file: PreviewFile }) {
  const query = useQuery(contentQuery(useApi(), file.id))
  const url = useBlobUrl(query.data)
  return (
    <Loaded query={query} what="The image" skeleton={<Skeleton height={240} />}>
      {() => url && <PreviewImage url={url} name={file.name} />}
    </Loaded>
  )
}

function TextContent({ file }: { file: PreviewFile }) {
  const query = useQuery(textQuery(useApi(), file, maxText))
  return (
    <Loaded query={query} what="The text" skeleton={<Skeleton height={240} />}>
      {(text) => <TextPreview text={text} cut={file.size_bytes > maxText} />}
    </Loaded>
  )
}
