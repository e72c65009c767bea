/** The door of files: what its neighbours may use. */

// Attached files as models read them.
export {
  type Attached,
  documentsAsText,
  leftOut,
  maxText,
  readAttachments,
  requireAttachments,
  toAttachment,
  withoutContent,
} from './attachments.ts'
// Where the contents of files are kept.
export { blobPath, downloadsRoot, root, usedBytes } from './blobs.ts'
// A response that carries a file, and the header that names it.
export { attachment, download } from './content.ts'
// Storing, finding, reading and removing a file.
export { openContent, removeFile, requireFile, storeBytes, storeIncoming } from './files.ts'
// Reading a form with files from a request.
export { readForm } from './multipart.ts'
// A name that is safe on every system.
export { cleanName } from './name.ts'
// A file as a row.
export type { StoredFile } from './schema.ts'
// The type of a file by its first bytes.
export { isTextType, Sniffer } from './sniff.ts'
// Files as rows.
export { findFile, findFiles } from './store.ts'
