import { Box, Button, FileButton, Flex, Overlay, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCloudUpload, IconFiles, IconSearch, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { StoredFile } from '../../../runtime/files/schema.ts'
import { usePages } from '../../api/query.ts'
import { announce } from '../../parts/announce.ts'
import { DeleteButton } from '../../parts/confirm.tsx'
import { UploadChip } from '../../parts/files/chips.tsx'
import { useDrop } from '../../parts/files/drop.ts'
import { Thumbnail } from '../../parts/files/thumbnail.tsx'
import { DownloadButton } from '../../parts/files/transfer.tsx'
import { useUploads } from '../../parts/files/uploads.ts'
import { lazily } from '../../parts/lazily.ts'
import { EmptyState, List, SkeletonRows } from '../../parts/list.tsx'
import { byteSize } from '../../parts/numbers.ts'
import { PageHeader, Panel } from '../../parts/page.tsx'
import { Row } from '../../parts/row.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Time } from '../../parts/time.tsx'
import { Hint } from '../../parts/typography.tsx'

const Preview = lazily(() => import('../../parts/files/preview.tsx'), 'Preview')

/** Everything that was uploaded, here or in a chat. Files can be dropped anywhere on the page. */
export function Files() {
  const [search, setSearch] = useState(() => new URLSearchParams(location.search).get('search') ?? '')
  const [wanted] = useDebouncedValue(search.trim(), 250)
  const query = usePages('/api/files', { query: { search: wanted } })
  const [opened, setOpened] = useState<StoredFile | null>(null)
  const uploads = useUploads('general')
  const { over, handlers } = useDrop(uploads.add)
  const unfinished = uploads.items.filter(({ file }) => !file)
  return (
    <Box className="page" pos="relative" mih="100%" {...handlers}>
      <PageHeader title="Files" description="Your uploads, and the files you sent in chats.">
        <ChooseButton add={uploads.add} />
      </PageHeader>
      {unfinished.length > 0 && (
        <Panel title="Uploading">
          <Flex component="ul" className="plain" wrap="wrap" gap="0.5rem" px="md" pb="md">
            {unfinished.map((item) => (
              <UploadChip key={item.key} item={item} remove={() => uploads.remove(item.key)} />
            ))}
          </Flex>
        </Panel>
      )}
      <SearchField
        maw="24rem"
        my="md"
        what="Search files by name"
        placeholder="Search by name"
        data-search
        value={search}
        change={setSearch}
      />
      <section className="card" aria-label="All files">
        <List
          query={query}
          what="Files"
          items="files"
          empty={<Nothing search={wanted} add={uploads.add} />}
          skeleton={<SkeletonRows count={6} height={56} />}
        >
          {(file) => (
            <Row
              key={file.id}
              name={file.name}
              size="sm"
              icon={<Thumbnail {...file} />}
              open={() => setOpened(file)}
              actions={
                <>
                  <DownloadButton
                    name={file.name}
                    content={(api) => api.open('GET', '/api/files/{id}/content', { params: { id: file.id } })}
                  />
                  <DeleteButton
                    what={file.name}
                    remove={(api) => api.delete('/api/files/{id}', { params: { id: file.id } })}
                    done={() => announce(`${file.name} was deleted`)}
                  />
                </>
              }
            >
              <Hint truncate>
                {byteSize(file.size_bytes)} · <Time at={file.created_at} />
                {file.purpose === 'chat' && ' · from a chat'}
              </Hint>
            </Row>
          )}
        </List>
      </section>
      {opened && <Preview file={opened} close={() => setOpened(null)} />}
      {over && (
        <Overlay backgroundOpacity={0.85} radius="md" center color="var(--mantine-color-body)">
          <Stack align="center" gap={0}>
            <IconCloudUpload size={40} stroke={1.4} aria-hidden />
            <Text fw={600}>Drop to upload</Text>
          </Stack>
        </Overlay>
      )}
    </Box>
  )
}

function ChooseButton({ add }: { add: (files: File[]) => void }) {
  return (
    <FileButton multiple onChange={add}>
      {(props) => (
        <Button leftSection={<IconUpload size={16} />} {...props}>
          Upload
        </Button>
      )}
    </FileButton>
  )
}

function Nothing({ search, add }: { search: string; add: (files: File[]) => void }) {
  if (search)
    return (
      <EmptyState icon={<IconSearch size={28} />} title="No matching files">
        No file name contains “{search}”.
      </EmptyState>
    )
  return (
    <EmptyState icon={<IconFiles size={28} />} title="No files yet" action={<ChooseButton add={add} />}>
      Drop files anywhere on this page, or choose them. Files that you attach in a chat appear here too.
    </EmptyState>
  )
}
