import Papa from 'papaparse'

/** A parser of CSV like this sample of it; without a delimiter it is detected. It reads a text part by part. */
export function csvParser(sample: string, delimiter = ''): Papa.Parser {
  // An empty last line would count as a record with one cell.
  const { meta } = Papa.parse(sample, { delimiter, preview: 20, skipEmptyLines: true })
  return new Papa.Parser({ delimiter: meta.delimiter || ',', newline: meta.linebreak as '\n' })
}
