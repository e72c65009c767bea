import { memo } from 'react'
import ReactMarkdown, { type Components, type ExtraProps } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CodeBlock } from './code-block.tsx'
import classes from './markdown.module.css'
import { markdownBlocks } from './markdown-blocks.ts'

const plugins = [remarkGfm]

/**
 * Nothing is fetched just because a model's text refers to it: images become links, and links show their
 * target.
 */
const components: Components = {
  a: ({ href, title, children }) => (
    <a href={href} title={title ?? href} target="_blank" rel="noreferrer noopener nofollow">
      {children}
    </a>
  ),
  img: ({ src, alt }) =>
    typeof src === 'string' && src !== '' ? (
      <a href={src} title={src} target="_blank" rel="noreferrer noopener nofollow">
        Picture: {alt || src}
      </a>
    ) : (
      <span>{alt}</span>
    ),
  pre: ({ node }) => <CodeBlock {...codeOf(node)} />,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard
    // biome-ignore lint/a11y/useSemanticElements: no field is in this group
    <div className={classes.table} tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <input type="checkbox" checked={checked ?? false} readOnly disabled aria-label={checked ? 'Done' : 'Not done'} />
  ),
}

/** Language and text of `<pre><code class="language-x">…`. */
function codeOf(node: ExtraProps['node']): { code: string; language: string } {
  const code = node?.children[0]
  if (code?.type !== 'element') return { code: '', language: '' }
  const names = Array.isArray(code.properties.className) ? code.properties.className.map(String) : []
  const language = names.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? ''
  const text = code.children.map((child) => (child.type === 'text' ? child.value : '')).join('')
  return { code: text.replace(/\n$/, ''), language }
}

/** Markdown in pieces: while a text grows, only its last piece is parsed again. */
export function Rendered({ text }: { text: string }) {
  return markdownBlocks(text).map((block, index) => {
    // A piece keeps its position while the text grows.
    const key = index
    return <Block key={key} text={block} />
  })
}

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  )
})
