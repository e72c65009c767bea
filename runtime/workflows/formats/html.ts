/** What to take from the elements that a selector finds. */
export interface Extraction {
  field: string
  selector: string
  /** `layout`: text in lines, with headings in capitals and the addresses of links. */
  take: 'text' | 'layout' | 'html' | 'attribute' | 'value'
  attribute: string
  /** Of a text: selectors of what is left out. */
  skip: string
  all: boolean
}

/** What becomes of white space in the values. */
export type Whitespace = 'keep' | 'trim' | 'collapse' | 'no_lines'
