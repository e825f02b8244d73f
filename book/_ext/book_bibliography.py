"""Citações e lista de referências em português: autor e ano, «e» em vez de «and»."""

from dataclasses import dataclass, field

import sphinxcontrib.bibtex.plugin
from docutils import nodes
from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as PlainStyle
from pybtex.style.template import field as entry_field
from pybtex.style.template import href, join, names, optional, sentence, tag, words
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinxcontrib.bibtex.style.referencing import BracketStyle, PersonStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

STYLE = "atencao"


class PortugueseStyle(PlainStyle):
    """Um molde só para livros, artigos, páginas e vídeos: autores (ano). Título. Onde. Endereço."""

    default_sorting_style = "author_year_title"

    def get_template(self, entry):
        place = ("journal", "booktitle", "institution", "publisher", "howpublished")
        where = [entry_field(name) for name in place if name in entry.fields]
        doi = join["https://doi.org/", entry_field("doi", raw=True)]
        url = entry_field("url", raw=True)
        return words[
            self._authors(entry),
            sentence[
                tag("em")[entry_field("title")],
                optional[join[entry_field("edition"), "ª edição"]],
            ],
            sentence(sep=", ")[
                *where,
                optional[join["v. ", entry_field("volume")]],
                optional[join["n. ", entry_field("number")]],
                optional[join["p. ", entry_field("pages", apply_func=_en_dash)]],
            ] if where else "",
            href[doi, doi] if "doi" in entry.fields else optional[href[url, url]],
        ]

    get_article_template = get_book_template = get_inproceedings_template = get_template
    get_misc_template = get_techreport_template = get_template

    def _authors(self, entry):
        # «others», no BibTeX, é o resto de uma lista longa.
        *people, last = entry.persons["author"]
        shown = names("author", sep=", ", sep2=" e ", last_sep=" e ")
        if "others" in last.last_names:
            entry.persons["author"] = people
            shown = join[names("author", sep=", "), " e outros"]
        year = optional[join[" (", entry_field("year"), ")"]]
        return sentence[join[shown, year]]


def _en_dash(pages):
    return str(pages).replace("--", "–")


def _persons():
    return PersonStyle(style="last", sep2=" e ", last_sep=" e ", other=" et al.")


def _round():
    return BracketStyle(left="(", right=")", sep="; ", sep2="; ", last_sep="; ")


@dataclass
class PortugueseReferences(AuthorYearReferenceStyle):
    """Vaswani et al. (2017) no texto; (Vaswani et al., 2017) entre parênteses."""

    bracket_parenthetical: BracketStyle = field(default_factory=_round)
    bracket_textual: BracketStyle = field(default_factory=_round)
    bracket_author: BracketStyle = field(default_factory=_round)
    bracket_label: BracketStyle = field(default_factory=_round)
    bracket_year: BracketStyle = field(default_factory=_round)
    person: PersonStyle = field(default_factory=_persons)


class ListReferences(SphinxPostTransform):
    """A lista vira uma lista: sem a sigla de cada obra, que o texto não usa."""

    default_priority = 250
    formats = ("html",)

    def run(self, **kwargs):
        for parent in {citation.parent: None for citation in self.document.findall(nodes.citation)}:
            group = [node for node in parent.children if isinstance(node, nodes.citation)]
            items = nodes.bullet_list(classes=["references"])
            parent.insert(parent.index(group[0]), items)
            for citation in group:
                parent.remove(citation)
                body = [node for node in citation.children if not isinstance(node, nodes.label)]
                items += nodes.list_item("", *body, ids=citation["ids"])


def setup(app):
    app.add_post_transform(ListReferences)
    register_plugin("pybtex.style.formatting", STYLE, PortugueseStyle)
    sphinxcontrib.bibtex.plugin.register_plugin(
        "sphinxcontrib.bibtex.style.referencing", STYLE, PortugueseReferences
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
