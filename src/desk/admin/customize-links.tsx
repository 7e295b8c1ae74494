/** The links in the header of a site. */
import type { Schemas } from '../api/client.js'
import { Icon } from '../shell/icons.js'
import { fill } from '../words/index.js'
import { TextField } from './form.js'
import { adminWords } from './words.js'

type Link = Schemas['SiteHeaderLink']

/** Renders the links to an address. Other links are unchanged. */
export function CustomizeLinks({
  links,
  onChange,
  problem,
}: {
  links: readonly Link[]
  onChange: (links: Link[]) => void
  problem: (path: string) => string | undefined
}) {
  const w = adminWords().customize
  const set = (at: number, link: Link | null) =>
    onChange(links.flatMap((one, n) => (n === at ? (link === null ? [] : [link]) : [one])))
  return (
    <fieldset class="stack s">
      <legend class="lab">{w.links}</legend>
      {links.map((link, at) => (
        <div class="stack s" key={at}>
          <TextField
            label={fill(w.linkTitle, { number: at + 1 })}
            error={problem(`/header/links/${at}/title`)}
            value={link.title}
            onInput={(title) => set(at, { ...link, title })}
          />
          {link.to?.kind === 'url' && (
            <TextField
              label={fill(w.linkTo, { number: at + 1 })}
              error={problem(`/header/links/${at}/to`)}
              value={link.to.url}
              onInput={(url) => set(at, { ...link, to: { kind: 'url', url } })}
              mono
            />
          )}
          <button type="button" class="btn small quiet" onClick={() => set(at, null)}>
            {fill(w.removeLink, { title: link.title })}
          </button>
        </div>
      ))}
      <button
        type="button"
        class="btn small"
        onClick={() =>
          onChange([
            ...links,
            { title: w.newLink, to: { kind: 'url', url: 'https://example.com' }, links: [], style: 'link' },
          ])
        }
      >
        <Icon name="plus" />
        {w.addLink}
      </button>
    </fieldset>
  )
}
