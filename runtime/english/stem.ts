import { stemmer } from 'stemmer'

/** Longer words are left unchanged, as in the index. */
const maxLength = 64

/** The form of a word that its English inflections share: Porter's algorithm, as FTS5 has it in its tokenizer `porter`. */
export const stem = (word: string): string => (word.length > maxLength ? word : stemmer(word))
