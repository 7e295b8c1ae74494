/** PDFs of spaces. */
import { Type } from '@sinclair/typebox'
import { Diagnostic } from './content.js'

/** Where a PDF is fetched. */
export const PdfAddress = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'Signed; works without a token until it expires.' }),
    diagnostics: Type.Optional(
      Type.Array(Diagnostic, { description: 'What is missing in the PDF, if it has been made.' }),
    ),
  },
  { $id: 'PdfAddress' },
)
