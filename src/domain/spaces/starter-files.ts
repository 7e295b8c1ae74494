// Creates the initial content of a space.
import type { FileChange } from '../../git/index.js'
import type { App } from '../context/app.js'
import { getTemplate } from '../templates/apply-template.js'

const file = (path: string, text: string): FileChange => ({ path, content: Buffer.from(text) })

/** Escapes a title for a markdown link or heading. */
const escaped = (title: string): string => title.replace(/[\\[\]*_`<>]/g, '\\$&').replace(/\s+/g, ' ')

/**
 * Returns the files of a new space's first commit: `empty`, `sample`, or a template by ID. Throws 400 if there is no
 * such template.
 */
export async function starterFiles(app: App, title: string, template: string): Promise<FileChange[]> {
  const name = escaped(title)
  if (template === 'empty')
    return [file('README.md', `# ${name}\n`), file('SUMMARY.md', `# Table of contents\n\n* [${name}](README.md)\n`)]
  if (template !== 'sample')
    return [...(await getTemplate(app, template, '/template')).files].map(([path, content]) => ({ path, content }))
  return [
    file(
      'README.md',
      `---\ndescription: What this documentation is about\n---\n\n# ${name}\n\nWelcome. This page is the first one your readers see.\n\n{% hint style="info" %}\nPages are markdown files in a Git repository. Edit them here, or in your editor.\n{% endhint %}\n`,
    ),
    file(
      'SUMMARY.md',
      `# Table of contents\n\n* [${name}](README.md)\n\n## Guides\n\n* [Getting started](guides/getting-started.md)\n* [Writing pages](guides/writing-pages.md)\n`,
    ),
    file(
      'guides/getting-started.md',
      '# Getting started\n\n{% stepper %}\n{% step %}\n### Open a change request\n\nAll changes can be reviewed before readers see them.\n{% endstep %}\n\n{% step %}\n### Merge it\n\nA merge is a Git merge: nothing is lost.\n{% endstep %}\n{% endstepper %}\n\nNext: [Writing pages](writing-pages.md)\n',
    ),
    file(
      'guides/writing-pages.md',
      '# Writing pages\n\n{% tabs %}\n{% tab title="Markdown" %}\nWrite **markdown**.\n{% endtab %}\n\n{% tab title="Blocks" %}\nUse blocks such as hints, tabs and steps.\n{% endtab %}\n{% endtabs %}\n\nBack to [Getting started](getting-started.md)\n',
    ),
  ]
}
