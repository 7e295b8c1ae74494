/** PDFs of spaces. */
import { Type } from '@sinclair/typebox'
import { Diagnostic } from './content.js'

/** The address of a PDF. */
export const PdfAddress = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'Signed; works without a token until it expires.' }),
    diagnostics: Type.Optional(
      Type.Array(Diagnostic, {
        description: 'The content that is missing from the PDF; absent until the PDF has been created.',
      }),
    ),
  },
  { $id: 'PdfAddress' },
)
