"""Which pages of a crawl are copies, and what a resumed crawl knows of it."""

from __future__ import annotations

from focused.crawl.copies import KnownTexts
from focused.method.page.reader import PageReader
from focused.method.page.text_sketch import TextSketch
from focused.method.scoring.stored_text import brought_by_links, form_and_newness, with_brought
from focused.method.text.analyzer import Analyzer, TermTable

HOST = "http://h.example"


class Pages:
    def __init__(self):
        self.reader = PageReader(Analyzer("en", TermTable()))
        self.known = self.new()
        self.kept = []

    def new(self):
        return KnownTexts(self.reader.analyzer)

    def meet(self, url, words, *, relevant=True):
        page = self.reader.read(f"<title>A title</title><p>{' '.join(words)}</p>".encode(), url, "text/html")
        met = self.known.find_copy_or_remember(page, url)
        if met.sketch:
            self.kept.append((url, met.sketch, int(relevant and not met.duplicate_of)))
            if not (relevant or met.duplicate_of):
                self.known.note_irrelevant(url)
        return met

    def resume(self):
        self.known = self.new()
        self.known.restore(self.kept)


def words(number, n=200):
    return [f"word{number}x{place}q" for place in range(n)]


def site(*, irrelevant=()):
    pages = Pages()
    for number in range(12):
        pages.meet(f"{HOST}/s/{number}", words(number), relevant=number not in irrelevant)
    return pages


def test_an_excerpt_of_a_relevant_page_is_a_copy_of_it_after_a_resume_too():
    pages = site()
    met = pages.meet(f"{HOST}/reply/3", words(3)[20:60])
    assert (met.duplicate_of, met.repeats, met.newness) == (f"{HOST}/s/3", f"{HOST}/s/3", 0.0)
    pages.resume()
    assert pages.meet(f"{HOST}/reply/4", words(4)[20:60]).duplicate_of == f"{HOST}/s/4"


def test_posts_that_stand_whole_on_a_relevant_front_page_are_copies_no_more_from_the_second_on_after_a_resume_too():
    pages = site()
    posts = [words(100 + number, 40) for number in range(6)]
    pages.meet(f"{HOST}/", [word for post in posts for word in post])
    met = [pages.meet(f"{HOST}/p/{number}", post) for number, post in enumerate(posts[:3])]
    pages.resume()
    met += [pages.meet(f"{HOST}/p/{number}", posts[number]) for number in (3, 4, 5)]
    assert [each.duplicate_of for each in met] == [f"{HOST}/", "", "", "", "", ""]
    assert {each.repeats for each in met} == {f"{HOST}/"}  # they say nothing new
    assert pages.meet(f"{HOST}/print/5", posts[5]).duplicate_of == f"{HOST}/p/5"


def test_many_excerpts_of_one_text_are_copies_as_long_as_they_share_words():
    pages = site()
    met = [pages.meet(f"{HOST}/reply/{start}", words(3)[start : start + 40]) for start in (20, 25, 30, 15)]
    assert {each.duplicate_of for each in met} == {f"{HOST}/s/3"}


def test_an_item_of_an_irrelevant_list_is_no_copy_but_says_nothing_new_and_its_own_copies_are_copies():
    pages = site(irrelevant=(3,))
    for is_resumed in (False, True):
        if is_resumed:
            pages.resume()
        item = f"{HOST}/item/{int(is_resumed)}"
        start = 100 * is_resumed
        met = pages.meet(item, words(3)[start : start + 60])
        assert (met.duplicate_of, met.repeats) == ("", f"{HOST}/s/3")
        assert met.newness < 0.2
        assert pages.meet(f"{item}?print", words(3)[start : start + 60]).duplicate_of == item


def test_an_excerpt_on_another_host_is_no_copy():
    pages = site()
    for number in range(20, 32):
        pages.meet(f"http://other.example/{number}", words(number))
    assert pages.meet("http://other.example/quoted", words(3)[20:60]).repeats == ""


def test_a_text_of_nearly_the_same_length_is_no_excerpt():
    pages = site()
    assert pages.meet(f"{HOST}/version/3", [*words(3)[:140], *words(99)[:70]]).repeats == ""


def test_of_a_host_of_which_little_is_known_no_page_is_an_excerpt():
    pages = Pages()
    pages.meet(f"{HOST}/s/3", words(3))
    assert pages.meet(f"{HOST}/about", words(3)[20:60]).repeats == ""


def test_a_list_of_teasers_is_no_copy_and_less_new_the_more_of_them_were_met():
    pages = site()
    known = [word for number in range(6) for word in words(number)[:15]]
    met = pages.meet(f"{HOST}/related/1", known)
    assert met.duplicate_of == ""
    assert met.newness < 0.4
    assert (
        pages.meet(f"{HOST}/related/2", [word for number in range(40, 46) for word in words(number)[:15]]).newness > 0.8
    )


def test_a_page_with_parts_of_three_others_is_a_collage_after_a_resume_too_and_one_that_quotes_two_at_length_is_none():
    pages = site()
    for _ in range(2):
        for nth, (n_quoted, n_words) in enumerate(((3, 40), (2, 90), (12, 5))):
            quoted = [word for number in range(n_quoted) for word in words(number)[20 : 20 + n_words]]
            met = pages.known.find_copy_or_remember(
                pages.reader.read(f"<p>{' '.join(quoted + words(50 + nth))}</p>".encode(), HOST, "text/html"),
                f"{HOST}/quotes/{nth}",
            )
            assert (brought_by_links(met.sketch) is not None) == (n_quoted == 3)
        pages.resume()


def test_the_sketch_of_a_collage_comes_back_from_bytes_with_what_its_links_bring():
    pages = site()
    found = pages.meet(f"{HOST}/results", [word for number in range(5) for word in words(number)[:30]])
    kept = with_brought(found.sketch, 0.2)
    assert abs(brought_by_links(kept) - 0.2) < 0.01
    assert TextSketch.from_bytes(kept).is_collage
    assert len(TextSketch.from_bytes(kept).kept) == len(TextSketch.from_bytes(found.sketch).kept) > 0
    assert form_and_newness(kept) == form_and_newness(found.sketch)


def test_a_resumed_crawl_knows_an_excerpt_of_which_parts_were_quoted_since():
    """What five pages have is the frame of the site: so only the excerpt itself still tells of its original."""
    quoted = words(3)[20:60]
    pages = site()
    pages.meet(f"{HOST}/reply/3", quoted)
    for number in range(40, 46):
        pages.meet(f"{HOST}/related/{number}", [*words(number), *quoted])
    again = [*quoted, "posted", "again"]
    for is_resumed in (False, True):
        if is_resumed:
            pages.resume()
        assert pages.meet(f"{HOST}/again", again).duplicate_of == f"{HOST}/s/3"


def test_that_an_excerpt_is_not_delivered_makes_none_of_its_original_an_item(caplog):
    pages = site()
    pages.meet(f"{HOST}/reply/3", words(3)[20:60])
    pages.resume()
    assert pages.meet(f"{HOST}/post/3", words(3)[30:70]).duplicate_of == f"{HOST}/s/3"
    assert caplog.text == ""


def test_texts_of_another_version_are_counted_in_one_line(caplog):
    pages = site()
    pages.kept = [(url, kept[:3] + b"\x02" + kept[4:], relevant) for url, kept, relevant in pages.kept]
    pages.resume()
    (record,) = caplog.records
    assert record.getMessage().startswith("12 stored texts cannot be read, and copies of them will count as new.")
    assert f"{HOST}/s/0: A sketch must have the format 3. Got 2" in record.getMessage()
    assert pages.meet(f"{HOST}/again/0", words(0)).duplicate_of == ""


def test_an_excerpt_of_a_page_that_is_forgotten_is_none_of_the_page_in_its_place():
    pages = Pages()
    pages.known = KnownTexts(pages.reader.analyzer, max_pages=20)
    for number in range(40):
        pages.meet(f"{HOST}/s/{number}", words(number))
    assert pages.meet(f"{HOST}/reply/3", words(3)[20:60]).repeats == ""
    assert pages.meet(f"{HOST}/reply/35", words(35)[20:60]).repeats == f"{HOST}/s/35"


def test_pages_that_say_of_another_page_what_they_are_have_one_title():
    pages = Pages()

    def form(url, title, referrer, number):
        page = pages.reader.read(f"<title>{title}</title><p>{' '.join(words(number))}</p>".encode(), url, "text/html")
        return form_and_newness(pages.known.find_copy_or_remember(page, url, referrer).sketch)[0]

    names = ("Sun spots", "New moon", "Red giants")
    own = [form(f"{HOST}/p/{n}", f"{name} - Sky", f"{HOST}/", n) for n, name in enumerate(names)]
    notes = [form(f"{HOST}/n/{n}", f"Notes on {name} - Sky", f"{HOST}/p/{n}", 10 + n) for n, name in enumerate(names)]
    # The URL says of which page it is: of a long title a part is enough.
    changes = [
        form(f"{HOST}/c/{n}", f"Changes: {name.split()[0]} - Sky", f"{HOST}/p/{n}", 20 + n)
        for n, name in enumerate(names)
    ]
    elsewhere = [form(f"{HOST}/e/{n}x", f"Notes on {name} - Sky", f"{HOST}/", 30 + n) for n, name in enumerate(names)]
    assert [len(set(forms)) for forms in (own, notes, changes, elsewhere)] == [3, 1, 1, 3]
    assert not set(notes) & set(changes)
