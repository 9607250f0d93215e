//! Charts, drawn with plotters. In the page this code comes with the engine's module, when the
//! first chart is opened.

use std::error::Error;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::series::DashedLineSeries;
use plotters::style::Color as _;

use super::svg::FONT;
use super::{Palette, Theme};
use crate::{Chart, ChartForm, Class, Color, Part, Series, Size, Tone};
use memplan_core::base::shown::visible;

/// Where the points of all series lie on the picture, in pixels; or the error of the backend.
type Drawn = Result<Vec<(f64, f64)>, Box<dyn Error>>;

/// Lengths of stroke and gap of the lines, so that they differ without colour; the first is solid.
const DASHES: [(u32, u32); 5] = [(1, 0), (8, 4), (3, 3), (12, 3), (2, 6)];

/// An entry of the legend: its words, and how a line is drawn, with its strokes and gaps, or the
/// tint of an area.
type Key<'a> = (&'a str, ShapeStyle, Option<(u32, u32)>);

/// How strong the tint of an area is. Lines across it would say, as on a plan, that bytes are free.
const TINT: f64 = 0.3;

/// The same of the line through everything.
const LEVEL: (u32, u32) = (6, 4);

/// Least and most room for the words of the places beside lying bars.
const NAMES: (f64, f64) = (50.0, 280.0);

/// A chart as an SVG document.
///
/// # Errors
/// Returns the message of plotters if the chart cannot be laid out, such as in a picture without
/// room.
pub fn chart_svg(chart: &Chart, size: Size, theme: Theme) -> Result<String, String> {
    let chart = &without_effect(chart);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (size.0 as u32, size.1 as u32)).into_drawing_area();
        draw(&area, chart, &Palette::of(theme), 1.0)
            .and_then(|_| Ok(area.present()?))
            .map_err(|error| error.to_string())?;
    }
    Ok(text)
}

/// The chart with names that SVG can hold.
fn without_effect(chart: &Chart) -> Chart {
    let mut chart = chart.clone();
    let names = chart.series.iter_mut().map(|series| &mut series.name);
    let level = chart.level.iter_mut().map(|(name, _)| name);
    let others = chart.mark.iter_mut().map(|(name, ..)| name).chain(chart.beyond.iter_mut().map(|(name, _)| name));
    let words = chart.hatched.iter_mut().chain([&mut chart.title]).chain(others);
    names.chain(level).chain(&mut chart.places).chain(words).for_each(|name| *name = visible(name).into());
    chart
}

/// Draws a chart over the whole of an area; fonts and lines are `scale` times as large. Gives the
/// places of the points.
///
/// # Errors
/// Returns the error of the backend.
pub fn draw<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, chart: &Chart, palette: &Palette, scale: f64) -> Drawn
where
    DB::ErrorType: 'static,
{
    area.fill(&rgb(palette, Color::Background))?;
    let area = heading(area, chart, palette, scale)?;
    match chart.form {
        ChartForm::Bars => bars(&area, chart, palette, scale),
        ChartForm::Steps | ChartForm::Lines => lines(&area, chart, palette, scale),
    }
}

/// The title and, where there is more than one line, which is which. Gives what is left below.
fn heading<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    chart: &Chart,
    palette: &Palette,
    scale: f64,
) -> Result<DrawingArea<DB, Shift>, Box<dyn Error>>
where
    DB::ErrorType: 'static,
{
    let px = |size: f64| (size * scale) as i32;
    let text = rgb(palette, Color::Text);
    let end_of_row = area.dim_in_pixel().0 as i32;
    let title = (FONT, 14.0 * scale).into_font().color(&text);
    let mut keys: Vec<Key> = Vec::new();
    if chart.form != ChartForm::Bars && (chart.series.len() > 1 || chart.level.is_some()) {
        keys.extend(chart.series.iter().enumerate().map(|(number, series)| {
            let style = color_of(palette, number).stroke_width(px(2.0).max(1) as u32);
            (series.name.as_str(), style, Some(DASHES[number % DASHES.len()]))
        }));
    }
    keys.extend(chart.hatched.iter().map(|words| (words.as_str(), color_of(palette, 1).mix(TINT).filled(), None)));
    let bound = rgb(palette, Color::Bound).stroke_width(px(2.0).max(1) as u32);
    keys.extend(chart.level.iter().map(|(name, _)| (name.as_str(), bound, Some(LEVEL))));
    let mark = mark_of(palette).stroke_width(px(2.0).max(1) as u32);
    keys.extend(chart.mark.iter().map(|(name, ..)| (name.as_str(), mark, Some(DASHES[0]))));
    let tint = rgb(palette, Color::Muted).mix(TINT).filled();
    keys.extend(chart.beyond.iter().map(|(name, _)| (name.as_str(), tint, None)));
    // One after the other, in as many rows as they need.
    let (left, row) = (px(64.0), px(18.0));
    let titles = rows_of_words(&chart.title, (f64::from(end_of_row) / scale - 20.0) * 12.0 / 14.0);
    let below = row * (titles.len() as i32 - 1).max(0);
    let (mut x, mut y) = (left, px(36.0) + below);
    let mut places = Vec::new();
    for (name, style, dash) in keys {
        let room = px(24.0 + 6.0 + 22.0 + width(name));
        if x > left && x + room > end_of_row {
            (x, y) = (left, y + row);
        }
        places.push((x, y, name, style, dash));
        x += room;
    }
    let height = if places.is_empty() { px(30.0) + below } else { y + px(14.0) };
    let (head, rest) = area.split_vertically(height);
    for (number, words) in (0..).zip(titles) {
        head.draw(&Text::new(words, (px(10.0), px(8.0) + row * number), title.clone()))?;
    }
    for (x, y, name, style, dash) in places {
        let end = x + px(24.0);
        let strokes = match dash {
            None => {
                head.draw(&Rectangle::new([(x, y - px(5.0)), (end, y + px(5.0))], style))?;
                Vec::new()
            }
            Some((_, 0)) => vec![[(x, y), (end, y)]],
            Some((length, gap)) => {
                let (length, gap) = (px(length as f64).max(1), px(gap as f64).max(1));
                let starts = (x..end).step_by((length + gap) as usize);
                starts.map(|from| [(from, y), (end.min(from + length), y)]).collect()
            }
        };
        for stroke in strokes {
            head.draw(&PathElement::new(stroke, style))?;
        }
        let label = (FONT, 12.0 * scale).into_font().color(&text);
        head.draw(&Text::new(name.to_string(), (end + px(6.0), y - px(7.0)), label))?;
    }
    Ok(rest)
}

/// Words in rows that are about so wide at 12 px; a word that is wider by itself has a row.
fn rows_of_words(words: &str, room: f64) -> Vec<String> {
    let mut rows: Vec<String> = Vec::new();
    for word in words.split(' ') {
        match rows.last_mut() {
            Some(row) if width(row) + width(" ") + width(word) <= room => {
                row.push(' ');
                row.push_str(word);
            }
            _ => rows.push(word.to_string()),
        }
    }
    rows
}

/// Room on the right of a chart for the half of its last label that stands beyond the axis.
fn right_of(last: &str) -> f64 {
    (width(last) / 2.0 + 4.0).clamp(10.0, NAMES.1 / 2.0)
}

/// About how wide words are at 12 px.
fn width(words: &str) -> f64 {
    words.chars().map(|letter| if letter.is_ascii() { 6.6 } else { 12.5 }).sum()
}

fn rgb(palette: &Palette, color: Color) -> RGBColor {
    let color = palette.color(color);
    RGBColor(color.red, color.green, color.blue)
}

/// Of the point that matters.
fn mark_of(palette: &Palette) -> RGBColor {
    rgb(palette, Color::Chosen)
}

fn color_of(palette: &Palette, number: usize) -> RGBColor {
    let class = Class::Category((number % Class::CATEGORIES as usize) as u8);
    rgb(palette, Color::Buffer(Part::Border, class, Tone::Full))
}

fn lines<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, chart: &Chart, palette: &Palette, scale: f64) -> Drawn
where
    DB::ErrorType: 'static,
{
    let (x, y) = chart.extent();
    let up = |value: f64| chart.scale.place(value);
    let font = (FONT, 12.0 * scale);
    let (text, muted) = (rgb(palette, Color::Text), rgb(palette, Color::Muted));
    let px = |size: f64| (size * scale) as u32;
    let last = chart.places.last().cloned().unwrap_or_else(|| Chart::tick_words(x.1));
    let mut context = ChartBuilder::on(area)
        .margin(px(10.0))
        .margin_right(px(right_of(&last)))
        .x_label_area_size(px(36.0))
        .y_label_area_size(px(62.0))
        .build_cartesian_2d(x.0..x.1, up(y.0)..up(y.1))?;
    let named = |value: &f64| {
        let near = value.round();
        let place = (near >= 0.0 && (value - near).abs() < 0.01).then(|| chart.places.get(near as usize)).flatten();
        if chart.places.is_empty() { Chart::tick_words(*value) } else { place.cloned().unwrap_or_default() }
    };
    let read = |value: &f64| Chart::tick_words(chart.scale.value(*value));
    let mut mesh = context.configure_mesh();
    if !chart.places.is_empty() {
        // The axis is asked for a mark between places, too: lines stand at the places alone.
        mesh.disable_x_mesh().set_tick_mark_size(LabelAreaPosition::Bottom, 0);
    }
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(rgb(palette, Color::Line))
        .axis_style(rgb(palette, Color::Line2))
        .label_style(font.into_font().color(&muted))
        .axis_desc_style(font.into_font().color(&text))
        .x_desc(&chart.x)
        .y_desc(&chart.y)
        .x_labels(if chart.places.is_empty() { 10 } else { 2 * chart.places.len() + 1 })
        .y_labels(8)
        .x_label_formatter(&named)
        .y_label_formatter(&read)
        .draw()?;
    for place in 0..chart.places.len() {
        let line = [(place as f64, up(y.0)), (place as f64, up(y.1))];
        context.draw_series(LineSeries::new(line, rgb(palette, Color::Line)))?;
    }
    let spot = |&(x, y): &(f64, f64)| {
        let (x, y) = context.backend_coord(&(x, up(y)));
        (x as f64, y as f64)
    };
    let spots = chart.series.iter().flat_map(|series| &series.points).map(spot).collect();
    if let [first, second, ..] = &chart.series[..]
        && chart.hatched.is_some()
    {
        let (columns, rows) = context.plotting_area().get_pixel_range();
        let (origin, plot) = ((columns.start, rows.start), context.plotting_area().strip_coord_spec());
        let style = color_of(palette, 1).mix(TINT).filled();
        let row = |value: f64| context.backend_coord(&(x.0, value)).1;
        let at = |column: i32| x.0 + (x.1 - x.0) * f64::from(column - columns.start) / f64::from(columns.len() as u32);
        let raised = raised(first, second, columns.clone(), at, row);
        for corners in areas(columns.start, &raised) {
            plot.draw(&Rectangle::new(corners.map(|(x, y)| (x - origin.0, y - origin.1)), style))?;
        }
    }
    if let Some((_, end)) = &chart.beyond {
        let (columns, rows) = context.plotting_area().get_pixel_range();
        let (origin, plot) = ((columns.start, rows.start), context.plotting_area().strip_coord_spec());
        let end = context.backend_coord(&(*end, y.0)).0.clamp(columns.start, columns.end);
        let inside = |(x, y): (i32, i32)| (x - origin.0, y - origin.1);
        let corners = [(columns.start, rows.start), (end, rows.end)].map(inside);
        plot.draw(&Rectangle::new(corners, rgb(palette, Color::Muted).mix(TINT).filled()))?;
        let edge = [(end, rows.start), (end, rows.end)].map(inside);
        plot.draw(&PathElement::new(edge, rgb(palette, Color::Error).stroke_width(px(1.0).max(1))))?;
    }
    for (number, series) in chart.series.iter().enumerate() {
        let color = color_of(palette, number);
        let style = color.stroke_width(px(2.0).max(1));
        let points: Vec<(f64, f64)> = path(chart, series, x.1).into_iter().map(|(x, y)| (x, up(y))).collect();
        let (length, gap) = DASHES[number % DASHES.len()];
        if gap == 0 {
            context.draw_series(LineSeries::new(points.clone(), style))?;
        } else {
            let (length, gap) = (px(length as f64).max(1), px(gap as f64).max(1));
            context.draw_series(DashedLineSeries::new(points.clone(), length, gap, style))?;
        }
        if chart.form == ChartForm::Lines {
            let radius = px(3.0);
            context.draw_series(points.iter().map(|&point| Circle::new(point, radius, color.filled())))?;
        }
    }
    if let Some((_, at, value)) = chart.mark.as_ref().filter(|(_, at, _)| (x.0..=x.1).contains(at)) {
        let style = mark_of(palette).stroke_width(px(2.0).max(1));
        context.draw_series(LineSeries::new([(*at, up(y.0)), (*at, up(y.1))], style))?;
        context.draw_series([Circle::new((*at, up(*value)), px(4.0), style)])?;
    }
    if let Some((_, level)) = &chart.level {
        let style = rgb(palette, Color::Bound).stroke_width(px(2.0).max(1));
        let points = [(x.0, up(*level)), (x.1, up(*level))];
        let (length, gap) = (px(LEVEL.0 as f64).max(1), px(LEVEL.1 as f64).max(1));
        context.draw_series(DashedLineSeries::new(points, length, gap, style))?;
    }
    Ok(spots)
}

/// The rows of pixels, column by column, in which the second line of steps is above the first; `at`
/// gives the value at the left edge of a column, `row` the row of a value.
fn raised(
    first: &Series,
    second: &Series,
    columns: Range<i32>,
    at: impl Fn(i32) -> f64,
    row: impl Fn(f64) -> i32,
) -> Vec<Range<i32>> {
    let value = |series: &Series, x: f64| {
        let next = series.points.partition_point(|point| point.0 <= x);
        next.checked_sub(1).map_or(0.0, |at| series.points[at].1)
    };
    let rows = |x: f64| row(value(second, x))..row(value(first, x));
    columns.map(|column| rows(at(column))).collect()
}

/// The corners of boxes that fill these rows of the columns from `start` on.
fn areas(start: i32, rows: &[Range<i32>]) -> Vec<[(i32, i32); 2]> {
    let mut at = start;
    let boxes = rows.chunk_by(|a, b| a == b).map(|alike| {
        let from = at;
        at += alike.len() as i32;
        ((from, at), alike[0].clone())
    });
    let seen = boxes.filter(|(_, rows)| !rows.is_empty());
    seen.map(|((from, to), rows)| [(from, rows.start), (to, rows.end)]).collect()
}

/// The corners of a line: steps go on to the end of the axis.
fn path(chart: &Chart, series: &Series, end: f64) -> Vec<(f64, f64)> {
    if chart.form == ChartForm::Lines {
        return series.points.clone();
    }
    let ends = series.points.iter().skip(1).map(|point| point.0).chain([end]);
    series.points.iter().zip(ends).flat_map(|(&(from, y), to)| [(from, y), (to, y)]).collect()
}

fn bars<DB: DrawingBackend>(area: &DrawingArea<DB, Shift>, chart: &Chart, palette: &Palette, scale: f64) -> Drawn
where
    DB::ErrorType: 'static,
{
    let (_, long) = chart.extent();
    let count = chart.places.len().max(1) as i32;
    let font = (FONT, 12.0 * scale);
    let (text, muted) = (rgb(palette, Color::Text), rgb(palette, Color::Muted));
    let px = |size: f64| (size * scale) as u32;
    let longest = chart.places.iter().map(|name| width(name)).fold(0.0, f64::max);
    let mut context = ChartBuilder::on(area)
        .margin(px(10.0))
        .margin_right(px(right_of(&Chart::tick_words(long.1))))
        .x_label_area_size(px(36.0))
        .y_label_area_size(px((longest + 16.0).clamp(NAMES.0, NAMES.1)))
        .build_cartesian_2d(long.0..long.1 * 1.06, (0..count - 1).into_segmented())?;
    // The first place is at the top.
    let place = |value: &SegmentValue<i32>| match value {
        SegmentValue::CenterOf(number) => chart.places.get((count - 1 - number) as usize).cloned().unwrap_or_default(),
        SegmentValue::Exact(_) | SegmentValue::Last => String::new(),
    };
    context
        .configure_mesh()
        .disable_y_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(rgb(palette, Color::Line))
        .axis_style(rgb(palette, Color::Line2))
        .label_style(font.into_font().color(&muted))
        .axis_desc_style(font.into_font().color(&text))
        .x_desc(&chart.x)
        .y_labels(count as usize)
        .y_label_formatter(&place)
        .x_label_formatter(&|value| Chart::tick_words(*value))
        .draw()?;
    let fill = rgb(palette, Color::Buffer(Part::Fill, Class::Category(0), Tone::Full));
    let mut spots = Vec::new();
    for &(number, value) in chart.series.iter().flat_map(|series| &series.points) {
        let row = count - 1 - number as i32;
        let mut bar =
            Rectangle::new([(0.0, SegmentValue::Exact(row)), (value, SegmentValue::Exact(row + 1))], fill.filled());
        let air = px(3.0);
        bar.set_margin(air, air, 0, 0);
        context.draw_series([bar])?;
    }
    if let Some((_, level)) = &chart.level {
        let style = rgb(palette, Color::Bound).stroke_width(px(2.0).max(1));
        let line = [(*level, SegmentValue::Exact(0)), (*level, SegmentValue::Exact(count))];
        let (length, gap) = (px(LEVEL.0 as f64).max(1), px(LEVEL.1 as f64).max(1));
        context.draw_series(DashedLineSeries::new(line, length, gap, style))?;
    }
    // Over the line, on ground of their own.
    let ground = rgb(palette, Color::Background).filled();
    for &(number, value) in chart.series.iter().flat_map(|series| &series.points) {
        let row = count - 1 - number as i32;
        let style = font.into_font().color(&text);
        let at = (value, SegmentValue::CenterOf(row));
        let (x, y) = context.backend_coord(&at);
        spots.push((x as f64, y as f64));
        let words = chart.value_words(value);
        let at_px = |x: f64, y: f64| ((x * scale) as i32, (y * scale) as i32);
        let plate = Rectangle::new([at_px(3.0, -7.0), at_px(7.0 + width(&words), 7.0)], ground);
        let label = EmptyElement::at(at) + plate + Text::new(words, at_px(5.0, -6.0), style);
        context.draw_series([label])?;
    }
    Ok(spots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ChartScale;

    fn series(points: &[(f64, f64)]) -> Series {
        Series { name: String::new(), points: points.to_vec() }
    }

    #[test]
    fn a_mark_stands_where_it_belongs_and_what_is_beyond_is_tinted() {
        let line = series(&[(40.0, 16.0), (60.0, 4.0), (100.0, 0.0)]);
        let plain = Chart { series: vec![line], scale: ChartScale::SquareRoot, ..Chart::default() };
        let drawn = |chart: &Chart| chart_svg(chart, (400.0, 300.0), Theme::Light).expect("there is room");
        let boxes = |chart: &Chart| drawn(chart).matches("<rect").count();
        let beyond = Chart { beyond: Some(("none below 40".into(), 40.0)), ..plain.clone() };
        let text = drawn(&beyond);
        assert!(text.contains("none below 40") && boxes(&beyond) == boxes(&plain) + 2, "{text}");
        let marked = Chart { mark: Some(("this budget".into(), 60.0, 4.0)), ..plain.clone() };
        assert_eq!(drawn(&marked).matches("<circle").count(), 1);
        // A mark outside of the axis is not drawn at its end.
        let outside = Chart { mark: Some(("this budget".into(), 300.0, 0.0)), ..plain };
        assert_eq!(drawn(&outside).matches("<circle").count(), 0);
    }

    #[test]
    fn a_line_of_the_grid_stands_at_every_place_and_nowhere_else() {
        let line = series(&[(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)]);
        let places: Vec<String> = ["1", "2", "4"].map(String::from).to_vec();
        let chart = Chart { series: vec![line], places, form: ChartForm::Lines, ..Chart::default() };
        let text = chart_svg(&chart, (400.0, 300.0), Theme::Light).expect("there is room");
        let upright = |line: &str| {
            let points = line.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
            let x: Vec<&str> = points.split_whitespace().filter_map(|point| point.split(',').next()).collect();
            (x.len() > 1 && x.iter().all(|other| *other == x[0])).then(|| x[0].to_string())
        };
        let found: std::collections::BTreeSet<String> = text.lines().filter_map(upright).collect();
        // Those of the places, and the axis at the left.
        assert!((3..=4).contains(&found.len()), "{found:?} {text}");
        assert!(!text.contains("font-family=\"sans-serif\""), "the page's own letters");
    }

    #[test]
    fn long_titles_take_more_rows_and_last_labels_stay_inside() {
        let title = "Peak of resnet18 with greedy-by-size-improved and inductor-reuse by alignment of every buffer";
        let line = series(&[(0.0, 1.0), (123_456.0, 2.0)]);
        let chart = Chart { title: title.into(), series: vec![line], ..Chart::default() };
        let text = chart_svg(&chart, (300.0, 300.0), Theme::Light).expect("there is room");
        let rows: Vec<&str> = text.lines().filter(|line| line.len() > 5 && title.contains(line.trim())).collect();
        assert!(rows.len() >= 2, "{text}");
        assert_eq!(rows.join(" "), title);
        assert_eq!(rows_of_words("one two", 1000.0), ["one two"]);
        assert_eq!(rows_of_words("a longword b", 20.0), ["a", "longword", "b"]);
        assert!(right_of("123 456 789") > 38.0 && right_of("1") == 10.0);
    }

    #[test]
    fn only_what_the_second_line_is_above_the_first_is_tinted() {
        let first = series(&[(0.0, 4.0), (2.0, 6.0), (4.0, 4.0)]);
        let second = series(&[(0.0, 4.0), (3.0, 9.0), (5.0, 2.0)]);
        let rows = raised(&first, &second, 0..60, |column| f64::from(column) / 10.0, |value| 100 - 10 * value as i32);
        for (column, rows) in (0..).zip(&rows) {
            let expected = match column {
                30..40 => Some(10..40),
                40..50 => Some(10..60),
                _ => None,
            };
            assert_eq!(Some(rows.clone()).filter(|rows| !rows.is_empty()), expected, "column {column}");
        }
        assert_eq!(areas(0, &rows), [[(30, 10), (40, 40)], [(40, 10), (50, 60)]]);
        assert!(raised(&first, &first, 0..60, f64::from, |value| value as i32).iter().all(Range::is_empty));
        assert_eq!(areas(0, &[]), Vec::<[(i32, i32); 2]>::new());
    }
}
