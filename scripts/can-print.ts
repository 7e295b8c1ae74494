// Exits with 0 if a Chromium on this machine prints PDFs; for scripts/test.
import { tmpdir } from 'node:os'
import { createPrinter } from '../src/printing/index.js'

const printer = createPrinter({ chromium: null, folder: tmpdir(), notice: () => {} })
const works = await printer.ready().then(
  () => true,
  () => false,
)
await printer.close()
process.exit(works ? 0 : 1)
